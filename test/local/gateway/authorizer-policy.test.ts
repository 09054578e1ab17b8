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

  it.each([
    ['that stands in no list', statement('Allow', '*')],
    ['that has an id', { Sid: 'One', ...statement('Allow', '*') }],
  ])('takes a single statement %s', (_, Statement) => {
    expect(evaluatePolicy({ Statement }, methodArn)).toBe('allow');
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'a statement is not an object'],
    ['no statement', { Version: '2012-10-17' }, 'a statement is not an object'],
    ['null as a statement', { Statement: [null] }, 'a statement is not an object'],
    ['a text as a statement', { Statement: 'Allow' }, 'a statement is not an object'],
    ['an unknown effect', { Statement: [statement('Maybe', '*')] }, 'Effect: Maybe'],
    ['an effect in another letter case', { Statement: statement('allow', '*') }, 'Effect: allow'],
    ['no action', { Statement: [{ Effect: 'Allow', Resource: '*' }] }, 'Action'],
    ['a resource that is no text', { Statement: [statement('Allow', 7)] }, 'Resource'],
    ['a resource of two that is none', { Statement: [statement('Allow', ['*', 7])] }, 'Resource'],
    ['no resources', { Statement: [statement('Allow', [])] }, 'Resource'],
    ['a condition', { Statement: [{ ...statement('Allow', '*'), Condition: {} }] }, 'Condition'],
    [
      'NotResource',
      { Statement: [{ ...statement('Allow', '*'), NotResource: '*' }] },
      'NotResource is not supported',
    ],
  ])('refuses %s, and says what is wrong', (_, policy, message) => {
    const evaluating = () => evaluatePolicy(policy, methodArn);

    expect(evaluating).toThrow(TypeError);
    expect(evaluating).toThrow(message);
  });

  it('takes no more time than it must for a pattern of many stars', () => {
    const policy = { Statement: statement('Allow', `${'*a'.repeat(200)}b`) };

    const milliseconds = cpuMillisecondsOf(() => evaluatePolicy(policy, 'a'.repeat(5_000)));

    expect(milliseconds).toBeLessThan(1_000);
  });
});
