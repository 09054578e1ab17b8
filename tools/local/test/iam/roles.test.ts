import { describe, expect, it } from '@jest/globals';
import { matchesArn } from '../../iam/pattern.ts';
import { decide } from '../../iam/policy.ts';
import { readFunctionRoles } from '../../iam/roles.ts';
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
const deny = (Resource: unknown) => ({ ...allow(Resource), Effect: 'Deny' });
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
  readFunctionRoles(createTemplate(Object.assign({}, ofFunction, ...resources)), 'dynamodb');

describe("a function's role", () => {
  it.each<[string, string, Statement[]]>([
    ['the action on the table', 'allow', [allow(orders)]],
    ['an action in another letter case', 'allow', [allow(orders, 'DynamoDB:updateitem')]],
    ['one of several actions', 'allow', [allow(orders, ['dynamodb:Scan', 'dynamodb:UpdateItem'])]],
    ['actions by a pattern', 'allow', [allow(orders, 'dynamodb:?pdate*')]],
    ['actions of several services', 'allow', [allow('*', ['s3:GetObject', '*'])]],
    ['one of several tables', 'allow', [allow([`${tables}/Keys`, orders])]],
    ['it in a second statement', 'allow', [allow(orders, 'dynamodb:Scan'), allow(orders)]],
    ['nothing', 'implicit-deny', []],
    ['another action', 'implicit-deny', [allow(orders, 'dynamodb:GetItem')]],
    ['an action of another service', 'implicit-deny', [allow('*', 's3:*')]],
    ['another table', 'implicit-deny', [allow(`${tables}/Keys`)]],
    ['a table whose name begins like it', 'implicit-deny', [allow(`${tables}/Order`)]],
    ['a table whose name is like it but for a dot', 'implicit-deny', [allow(`${tables}/O.ders`)]],
    ['the indexes of the table', 'implicit-deny', [allow(`${orders}/index/*`)]],
    ['a table in another letter case', 'implicit-deny', [allow(`${tables}/orders`)]],
    ['it, and forbids it elsewhere', 'explicit-deny', [allow('*', '*'), deny(orders)]],
  ])('that allows %s: %s', (_, expected, statements) => {
    const { statements: found } = read(allowing(...statements)).get('List')!;

    expect(decide(found, 'dynamodb:UpdateItem', orders)).toBe(expected);
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
      'has a policy variable',
      allowing(allow(`${tables}/\${aws:username}`)),
      'Role: the policy variable ${aws:username} is not supported locally',
    ],
  ])('stops the run when it %s', (_, resources, message) => {
    expect(() => read(resources)).toThrow(message);
  });

  it('may have one statement outside of a list', () => {
    const PolicyDocument = { Statement: allow(orders) };
    const resources = role({ Policies: [{ PolicyName: 'p', PolicyDocument }] });

    expect(read(resources).get('List')!.statements).toHaveLength(1);
  });

  it('may do anything where no table is concerned', () => {
    const logs = { ...allow('*', 'logs:PutLogEvents'), Condition: { Bool: {} } };

    expect(read(allowing(logs)).get('List')!.statements).toEqual([]);
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
