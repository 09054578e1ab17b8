import { describe, expect, it } from '@jest/globals';
import { decide } from '../../../local/iam/policy.ts';
import { readFunctionRoles } from '../../../local/iam/roles.ts';
import { createTemplate, lambda, type Resources } from '../small-template.ts';

const trust = (Service: string | string[]) => ({
  Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service } }],
});
const mayScan = { Statement: [{ Effect: 'Allow', Action: 'dynamodb:Scan', Resource: '*' }] };

const role = (properties: object = {}): Resources => ({
  Role: {
    Type: 'AWS::IAM::Role',
    Properties: { AssumeRolePolicyDocument: trust('lambda.amazonaws.com'), ...properties },
  },
});
const ofAnother: Resources = {
  Another: {
    Type: 'AWS::IAM::Role',
    Properties: { AssumeRolePolicyDocument: trust('ec2.amazonaws.com') },
  },
  Unattached: { Type: 'AWS::IAM::ManagedPolicy', Properties: { PolicyDocument: mayScan } },
};
const list = lambda('List', { Role: { 'Fn::GetAtt': ['Role', 'Arn'] } });
const policy = (Type: string, properties: object = {}): Resources => ({
  Policy: { Type, Properties: { PolicyDocument: mayScan, ...properties } },
});
const awsPolicy = (name: string) => ({
  'Fn::Sub': `arn:\${AWS::Partition}:iam::aws:policy/${name}`,
});

const read = (...resources: Resources[]) =>
  readFunctionRoles(createTemplate(Object.assign({}, ofAnother, list, ...resources)), 'dynamodb');
const decision = (...resources: Resources[]) =>
  decide(read(...resources).get('List')?.statements ?? [], 'dynamodb:Scan', 'arn:aws:dynamodb:x');

describe("a function's role", () => {
  it.each<[string, Resources[]]>([
    ['its own', [role({ Policies: [{ PolicyName: 'p', PolicyDocument: mayScan }] })]],
    ['attached to it', [role(), policy('AWS::IAM::Policy', { Roles: [{ Ref: 'Role' }] })]],
    [
      'managed, and attached to it',
      [role(), policy('AWS::IAM::ManagedPolicy', { Roles: [{ Ref: 'Role' }] })],
    ],
    [
      'managed, and named by it',
      [role({ ManagedPolicyArns: [{ Ref: 'Policy' }] }), policy('AWS::IAM::ManagedPolicy')],
    ],
  ])('has what a policy allows that is %s', (_, resources) => {
    expect(decision(...resources)).toBe('allow');
  });

  it.each<[string, Resources[]]>([
    ['none', [role()]],
    ["another role's", [role(), policy('AWS::IAM::Policy', { Roles: ['other'] })]],
    ...[
      'service-role/AWSLambdaBasicExecutionRole',
      'service-role/AWSLambdaVPCAccessExecutionRole',
      'AWSXRayDaemonWriteAccess',
      'CloudWatchLambdaInsightsExecutionRolePolicy',
    ].map((name): [string, Resources[]] => [
      `AWS's own ${name}`,
      [role({ ManagedPolicyArns: [awsPolicy(name)] })],
    ]),
  ])('has nothing of a policy that is %s', (_, resources) => {
    expect(decision(...resources)).toBe('implicit-deny');
  });

  it.each<[string, object]>([
    ['several services', trust(['ec2.amazonaws.com', 'lambda.amazonaws.com'])],
    [
      'Lambda in a statement outside of a list',
      { Statement: trust('lambda.amazonaws.com').Statement[0] },
    ],
    [
      'somebody else too',
      { Statement: [{ Effect: 'Allow' }, ...trust('lambda.amazonaws.com').Statement] },
    ],
  ])('may be assumed by %s', (_, AssumeRolePolicyDocument) => {
    expect(decision(role({ AssumeRolePolicyDocument }))).toBe('implicit-deny');
  });

  it('is not needed by a function', () => {
    const roles = readFunctionRoles(
      createTemplate({ ...lambda('Bare'), ...list, ...role() }),
      'dynamodb',
    );

    expect([...roles.keys()]).toEqual(['List']);
  });

  it('is named as in the ARN of who has assumed it', () => {
    expect(read(role({ RoleName: 'lister' })).get('List')?.name).toBe('lister');
  });

  it.each<[string, Resources[], RegExp]>([
    ['is not in the template', [], /^List: Fn::GetAtt "Role.Arn"/],
    [
      'has a name of its own elsewhere',
      [lambda('List', { Role: 'arn:aws:iam::1:role/x' })],
      /^List: its role arn:aws:iam::1:role\/x is not defined here/,
    ],
    [
      'is for another service',
      [role({ AssumeRolePolicyDocument: trust('ec2.amazonaws.com') })],
      /^Role: lambda.amazonaws.com may not assume/,
    ],
    [
      'may not be assumed by Lambda',
      [
        role({
          AssumeRolePolicyDocument: {
            Statement: [{ Effect: 'Deny', Principal: { Service: 'lambda.amazonaws.com' } }],
          },
        }),
      ],
      /^Role: lambda.amazonaws.com may not assume/,
    ],
    [
      'says of nobody that he may assume it',
      [role({ AssumeRolePolicyDocument: undefined })],
      /^Role: lambda.amazonaws.com may not assume/,
    ],
    [
      'has a permissions boundary',
      [role({ PermissionsBoundary: 'arn:aws:iam::1:policy/x' })],
      /^Role: a permissions boundary/,
    ],
    [
      "has a policy of AWS's that is not known",
      [
        role({ ManagedPolicyArns: [awsPolicy('AmazonDynamoDBFullAccess')] }),
        policy('AWS::IAM::ManagedPolicy'),
      ],
      /^Role: what arn:aws:iam::aws:policy\/AmazonDynamoDBFullAccess allows is not known/,
    ],
  ])('stops the run when it %s', (_, resources, message) => {
    expect(() => read(...resources)).toThrow(message);
  });
});
