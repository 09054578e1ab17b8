import { describe, expect, it } from '@jest/globals';
import { matchesArn } from '../../iam/pattern.ts';
import { allows, readFunctionRoles } from '../../iam/roles.ts';
import { createTemplate, lambda, type Resources } from '../small-template.ts';

const tables = 'arn:aws:dynamodb:us-east-1:000000000000:table';
const orders = `${tables}/Orders`;

type Statement = Record<string, unknown>;

const trust = (Effect: string, Service: string) => ({
  Statement: [{ Effect, Action: 'sts:AssumeRole', Principal: { Service } }],
});
const allow = (Resource: unknown, Action: unknown = 'dynamodb:UpdateItem') => ({
  Effect: 'Allow',
  Action,
  Resource,
});
const ofFunction = lambda('List', { Role: { 'Fn::GetAtt': ['Role', 'Arn'] } });

const role = (properties: object = {}): Resources => ({
  Role: {
    Type: 'AWS::IAM::Role',
    Properties: {
      AssumeRolePolicyDocument: trust('Allow', 'lambda.amazonaws.com'),
      ...properties,
    },
  },
});
const allowing = (...Statement: Statement[]) =>
  role({ Policies: [{ PolicyName: 'p', PolicyDocument: { Statement } }] });

const read = (...resources: Resources[]) =>
  readFunctionRoles(createTemplate(Object.assign({}, ofFunction, ...resources)));

describe("a function's role", () => {
  it.each<[string, boolean, Statement[]]>([
    ['the action on the table', true, [allow(orders)]],
    ['an action in another letter case', true, [allow(orders, 'DynamoDB:updateitem')]],
    ['one of several actions', true, [allow(orders, ['dynamodb:Scan', 'dynamodb:UpdateItem'])]],
    ['actions by a pattern', true, [allow(orders, 'dynamodb:?pdate*')]],
    ['actions of several services', true, [allow('*', ['s3:GetObject', '*'])]],
    ['one of several tables', true, [allow([`${tables}/Keys`, orders])]],
    ['it in a second statement', true, [allow(orders, 'dynamodb:Scan'), allow(orders)]],
    ['nothing', false, []],
    ['another action', false, [allow(orders, 'dynamodb:GetItem')]],
    ['an action of another service', false, [allow('*', 's3:*')]],
    ['another table', false, [allow(`${tables}/Keys`)]],
    ['a table whose name begins like it', false, [allow(`${tables}/Order`)]],
    ['a table whose name is like it but for a dot', false, [allow(`${tables}/O.ders`)]],
    ['the indexes of the table', false, [allow(`${orders}/index/*`)]],
    ['a table in another letter case', false, [allow(`${tables}/orders`)]],
  ])('that allows %s: %s', (_, expected, statements) => {
    const found = read(allowing(...statements)).get('List')!;

    expect(allows(found, 'dynamodb:UpdateItem', orders)).toBe(expected);
  });

  it('is not needed by a function', () => {
    expect([...read(lambda('Bare'), role()).keys()]).toEqual(['List']);
  });

  it.each<[string, Resources, string]>([
    [
      'is not in the template',
      { ...role(), ...lambda('List', { Role: 'arn:aws:iam::1:role/x' }) },
      'List: its role arn:aws:iam::1:role/x is not defined here',
    ],
    [
      'is for another service',
      role({ AssumeRolePolicyDocument: trust('Allow', 'ec2.amazonaws.com') }),
      'Role: lambda.amazonaws.com may not assume this role of a function',
    ],
    [
      'may not be assumed by Lambda',
      role({ AssumeRolePolicyDocument: trust('Deny', 'lambda.amazonaws.com') }),
      'Role: lambda.amazonaws.com may not assume this role of a function',
    ],
    [
      'has managed policies',
      role({ ManagedPolicyArns: ['arn:aws:iam::aws:policy/AmazonDynamoDBFullAccess'] }),
      'Role: ManagedPolicyArns of a function is not supported locally',
    ],
    [
      'has a permissions boundary',
      role({ PermissionsBoundary: 'arn:aws:iam::1:policy/x' }),
      'Role: the property PermissionsBoundary of AWS::IAM::Role is not supported locally',
    ],
    [
      'has a condition',
      allowing({ ...allow(orders), Condition: { Bool: {} } }),
      'Role: Condition of a statement is not supported locally',
    ],
    [
      'allows all but an action',
      allowing({ Effect: 'Allow', NotAction: 's3:*', Resource: '*' }),
      'Role: NotAction of a statement is not supported locally',
    ],
    [
      'has a statement that denies',
      allowing({ ...allow(orders), Effect: 'Deny' }),
      'Role: a statement that is no Allow is not supported locally',
    ],
  ])('stops the run when it %s', (_, resources, message) => {
    expect(() => read(resources)).toThrow(message);
  });
});

describe('a pattern of ARNs', () => {
  const arn = 'arn:aws:logs:us-east-1:000000000000:log-group:orders:x';

  it.each([
    ['*', true],
    ['arn:aws:logs:*', true],
    ['arn:aws:s3:*', false],
    ['arn:aws:logs', false],
    ['arn:aws:logs:*:*:*x', true],
    ['arn:aws:logs:us-east-1:*:x', false],
    ['arn:aws:logs:*:000000000000:log-group:*', true],
    ['arn:aws:logs:*:000000000000:log-group', false],
    ['arn:aws:logs:*:log-group:orders:x', false],
    ['arn:aws:logs:*:111111111111:log-group:*', false],
  ])('%s matches a log group: %s', (pattern, expected) => {
    expect(matchesArn(pattern, arn)).toBe(expected);
  });
});
