import { describe, expect, it } from '@jest/globals';
import { decide, readStatements } from '../../../local/iam/policy.ts';

const tables = 'arn:aws:dynamodb:us-east-1:000000000000:table';
const orders = `${tables}/Orders`;

type Statement = Record<string, unknown>;

const allow = (Resource: unknown, Action: unknown = 'dynamodb:UpdateItem') => ({
  Effect: 'Allow',
  Action,
  Resource,
});
const deny = (Resource: unknown, Action?: unknown) => ({
  ...allow(Resource, Action),
  Effect: 'Deny',
});

const read = (...Statement: Statement[]) =>
  readStatements({ Version: '2012-10-17', Statement }, 'dynamodb', 'Role');
const decideOn = (...statements: Statement[]) =>
  decide(read(...statements), 'dynamodb:UpdateItem', orders);

describe('a policy', () => {
  it.each<[string, string, Statement[]]>([
    ['the action on the table', 'allow', [allow(orders)]],
    ['everything', 'allow', [allow('*', '*')]],
    ['every action of the service', 'allow', [allow(orders, 'dynamodb:*')]],
    ['actions by a pattern', 'allow', [allow(orders, 'dynamodb:?pdate*')]],
    ['an action in another letter case', 'allow', [allow(orders, 'DynamoDB:updateitem')]],
    ['one of several actions', 'allow', [allow(orders, ['dynamodb:Scan', 'dynamodb:UpdateItem'])]],
    ['actions of several services', 'allow', [allow('*', ['s3:GetObject', 'dynamodb:*'])]],
    ['it under an id', 'allow', [{ ...allow(orders), Sid: 'One' }]],
    ['one of several tables', 'allow', [allow([`${tables}/Keys`, orders])]],
    ['tables by a pattern', 'allow', [allow(`${tables}/Ord?r*`)]],
    ['tables of every Region', 'allow', [allow('arn:aws:dynamodb:*:000000000000:table/Orders')]],
    ['a pattern that ends before the table', 'allow', [allow('arn:aws:dynamodb:*')]],
    [
      'all actions but another',
      'allow',
      [{ ...allow(orders), Action: undefined, NotAction: 's3:*' }],
    ],
    [
      'all tables but another',
      'allow',
      [{ ...allow('x'), Resource: undefined, NotResource: `${tables}/Keys` }],
    ],
    ['nothing', 'implicit-deny', []],
    ['another action', 'implicit-deny', [allow(orders, 'dynamodb:GetItem')]],
    ['an action of another service', 'implicit-deny', [allow('*', 's3:*')]],
    ['another table', 'implicit-deny', [allow(`${tables}/Keys`)]],
    ['a table whose name begins like it', 'implicit-deny', [allow(`${tables}/Order`)]],
    ['the indexes of the table', 'implicit-deny', [allow(`${orders}/index/*`)]],
    ['a table in another letter case', 'implicit-deny', [allow(`${tables}/orders`)]],
    [
      'a wildcard that would reach over colons',
      'implicit-deny',
      [allow('arn:aws:*:table/Orders:::')],
    ],
    [
      'all actions but this',
      'implicit-deny',
      [{ ...allow(orders), Action: undefined, NotAction: 'dynamodb:Update*' }],
    ],
    [
      'all tables but this',
      'implicit-deny',
      [{ ...allow('x'), Resource: undefined, NotResource: orders }],
    ],
    ['it, and forbids it elsewhere', 'explicit-deny', [allow('*', '*'), deny(orders)]],
    [
      'it, and forbids something else',
      'allow',
      [allow('*', '*'), deny(orders, 'dynamodb:DeleteItem')],
    ],
  ])('that allows %s: %s', (_, decision, statements) => {
    expect(decideOn(...statements)).toBe(decision);
  });

  it('may have one statement outside of a list', () => {
    const statements = readStatements({ Statement: allow(orders) }, 'dynamodb', 'Role');

    expect(decide(statements, 'dynamodb:UpdateItem', orders)).toBe('allow');
  });

  it.each<[string, Statement, string]>([
    [
      'a condition',
      { ...allow(orders), Condition: { StringEquals: { 'aws:RequestedRegion': 'us-east-1' } } },
      'Role: the condition {"StringEquals":{"aws:RequestedRegion":"us-east-1"}} is not supported',
    ],
    [
      'a policy variable',
      allow(`${tables}/\${aws:PrincipalTag/table}`),
      'Role: the policy variable ${aws:PrincipalTag/table} is not supported locally',
    ],
    [
      'another effect',
      { ...allow(orders), Effect: 'allow' },
      `Role: a statement's Effect is "allow"`,
    ],
    ['a principal', { ...allow(orders), Principal: '*' }, 'Role: Principal of a statement'],
    [
      'no resource',
      { ...allow(orders), Resource: undefined },
      `Role: a statement's Resource is neither`,
    ],
    [
      'a resource that is a number',
      allow([orders, 1]),
      `Role: a statement's Resource is neither a string nor a list of them`,
    ],
    ['an empty list of resources', allow([]), `Role: a statement's Resource is neither`],
  ])('with %s stops the run by name', (_, statement, message) => {
    expect(() => read(statement)).toThrow(message);
  });

  it.each([undefined, {}, { Statement: [] }])('may have no statement: %j', (document) => {
    expect(readStatements(document, 'dynamodb', 'Role')).toEqual([]);
  });

  it('may have statements without an action, which concern no service', () => {
    expect(read({ Effect: 'Allow', Resource: '*' })).toEqual([]);
  });

  it('may have conditions on other services', () => {
    const statement = { ...allow('*', 'logs:PutLogEvents'), Condition: { Bool: { x: 'true' } } };

    expect(read(statement)).toEqual([]);
  });
});
