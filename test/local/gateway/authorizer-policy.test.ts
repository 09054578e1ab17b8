import { describe, expect, it } from '@jest/globals';
import { evaluatePolicy } from '../../../local/gateway/authorizer-policy.ts';
import { cpuMillisecondsOf } from '../../helpers/cpu-time.ts';

const root = 'arn:aws:execute-api:eu-central-1:123456789012:a1b2c3';
const methodArn = `${root}/prod/DELETE/v1/orders/7`;

type Statement = { Effect: string; Action?: unknown; Resource: unknown };
const statement = (Effect: string, Resource: unknown, Action: unknown = 'execute-api:Invoke') => ({
  Effect,
  Action,
  Resource,
});
const evaluate = (...statements: Statement[]) =>
  evaluatePolicy({ Version: '2012-10-17', Statement: statements }, methodArn);

describe('authorizer policy', () => {
  it.each<[string, string, Statement[]]>([
    ['the very method', 'allow', [statement('Allow', methodArn)]],
    ['everything', 'allow', [statement('Allow', '*')]],
    ['the whole stage', 'allow', [statement('Allow', `${root}/prod/*/*`)]],
    ['the method of any path', 'allow', [statement('Allow', `${root}/prod/DELETE/*`)]],
    ['a pattern with ?', 'allow', [statement('Allow', `${root}/prod/DELETE/v1/orders/?`)]],
    ['one of several resources', 'allow', [statement('Allow', ['arn:x', methodArn])]],
    ['one of several actions', 'allow', [statement('Allow', '*', ['s3:*', 'execute-api:*'])]],
    ['an action in another letter case', 'allow', [statement('Allow', '*', 'execute-api:invoke')]],
    ['another method', 'implicit-deny', [statement('Allow', `${root}/prod/GET/*`)]],
    ['another stage', 'implicit-deny', [statement('Allow', `${root}/staging/*/*`)]],
    ['another path', 'implicit-deny', [statement('Allow', `${root}/prod/DELETE/v1/pets/*`)]],
    ['a longer path', 'implicit-deny', [statement('Allow', `${methodArn}/x`)]],
    ['another letter case', 'implicit-deny', [statement('Allow', methodArn.toUpperCase())]],
    ['another action', 'implicit-deny', [statement('Allow', '*', 'execute-api:ManageConnections')]],
    ['a denial', 'explicit-deny', [statement('Deny', `${root}/prod/*/*`)]],
    [
      'a denial beside an allowance',
      'explicit-deny',
      [statement('Allow', '*'), statement('Deny', methodArn)],
    ],
    [
      'a denial of another method beside an allowance',
      'allow',
      [statement('Allow', '*'), statement('Deny', `${root}/prod/GET/*`)],
    ],
  ])('decides on %s: %s', (_, expected, statements) => {
    expect(evaluate(...statements)).toBe(expected);
  });

  it('takes a single statement that stands in no list', () => {
    expect(evaluatePolicy({ Statement: statement('Allow', '*') }, methodArn)).toBe('allow');
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['no statement', { Version: '2012-10-17' }],
    ['an unknown effect', { Statement: [statement('Maybe', '*')] }],
    ['an effect in another letter case', { Statement: [statement('allow', '*')] }],
    ['no action', { Statement: [{ Effect: 'Allow', Resource: '*' }] }],
    ['a resource that is no text', { Statement: [statement('Allow', 7)] }],
    ['no resources', { Statement: [statement('Allow', [])] }],
    ['a condition', { Statement: [{ ...statement('Allow', '*'), Condition: {} }] }],
    ['NotResource', { Statement: [{ ...statement('Allow', '*'), NotResource: '*' }] }],
  ])('refuses %s', (_, policy) => {
    expect(() => evaluatePolicy(policy, methodArn)).toThrow(TypeError);
  });

  it('takes no more time than it must for a pattern of many stars', () => {
    const policy = { Statement: statement('Allow', `${'*a'.repeat(200)}b`) };

    const milliseconds = cpuMillisecondsOf(() => evaluatePolicy(policy, 'a'.repeat(5_000)));

    expect(milliseconds).toBeLessThan(1_000);
  });
});
