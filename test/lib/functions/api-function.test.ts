import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { functionNames } from '../../../lib/settings/functions.ts';
import { capitalized } from '../../../lib/settings/names.ts';
import { forEachPlan, plans } from '../../../lib/settings/plans.ts';
import { stageSettings } from '../../../lib/settings/stages.ts';
import { differences, missing } from '../../helpers/differences.ts';
import { functionEnvironment } from '../../helpers/functions/function-environment.ts';
import { stageNames } from '../../helpers/synthesized.ts';
import { properties } from '../readable.ts';

const banRules = forEachPlan((name) => {
  const { toleratedRejectionsPerMinute, banSeconds } = plans[name];
  return { toleratedRejectionsPerMinute, banSeconds };
});

describe.each(stageNames)('functions of %s', (stage) => {
  it.each([
    ['Authorizer', { MemorySize: 512, Timeout: 5 }],
    ['ListOrders', { MemorySize: 1_769, Timeout: 120 }],
    ['CancelOrder', { MemorySize: 512, Timeout: 15 }],
  ])('run on Node 24, arm64, with a role and a log group of their own: %s', (name, size) => {
    const lambdaFunction = properties(stage, 'AWS::Lambda::Function')[`${name}Function`];

    expect(lambdaFunction).toEqual({
      ...size,
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      Role: `\${${name}Role.Arn}`,
      LoggingConfig: { LogFormat: 'Text', LogGroup: `\${${name}Logs}` },
      Code: {
        S3Bucket: 'cdk-hnb659fds-assets-${AWS::AccountId}-${AWS::Region}',
        S3Key: expect.stringMatching(/^[0-9a-f]{64}\.zip$/),
      },
      Description: expect.any(String),
      Environment: { Variables: expect.any(Object) },
    });
  });

  it('are those of lib/settings/functions.ts', () => {
    const ids = functionNames.map((name) => `${capitalized(name)}Function`);

    expect(
      differences(
        ['lib/settings/functions.ts', ids],
        ['lib/store-orders-stack.ts', Object.keys(properties(stage, 'AWS::Lambda::Function'))],
      ),
    ).toEqual([]);
  });

  it('are told every variable that they read, and no other', () => {
    const read = globSync('lambdas/**/*.ts').flatMap((file) => [
      ...readFileSync(file, 'utf8').matchAll(/requiredVariable\('(?!AWS_)(\w+)'\)/g),
    ]);
    const told = functionNames.flatMap((name) => Object.keys(variablesOf(capitalized(name))));
    const own = read.map(([, name]) => name!);

    const found = [
      ...differences(['lambdas/', own], ['lib/store-orders-stack.ts', told]),
      ...missing(
        ['lambdas/', own],
        ['test/helpers/functions/function-environment.ts', Object.keys(functionEnvironment)],
      ),
    ];
    expect(found).toEqual([]);
  });

  it.each([
    ['ListOrders', { ORDERS_TABLE: '${TablesOrders}', STAGE: stage }],
    ['CancelOrder', { ORDERS_TABLE: '${TablesOrders}', STAGE: stage }],
  ])('are told their table and their stage: %s', (name, variables) => {
    expect(variablesOf(name)).toEqual(variables);
  });

  it('tell the authorizer its prefix and the ban rules of the plans', () => {
    const { BAN_RULES, ...variables } = variablesOf('Authorizer');

    expect(variables).toEqual({
      API_KEYS_TABLE: '${TablesApiKeys}',
      API_KEY_PREFIX: stageSettings(stage).apiKeyPrefix,
      STAGE: stage,
    });
    expect(JSON.parse(BAN_RULES!)).toEqual(banRules);
  });

  function variablesOf(name: string): Record<string, string> {
    const { Environment } = properties(stage, 'AWS::Lambda::Function')[`${name}Function`] as {
      Environment: { Variables: Record<string, string> };
    };
    return Environment.Variables;
  }
});

describe.each(stageNames)('roles of %s', (stage) => {
  it.each([
    ['Authorizer', ['dynamodb:GetItem', 'dynamodb:UpdateItem'], '${TablesApiKeys.Arn}'],
    ['ListOrders', 'dynamodb:Scan', '${TablesOrders.Arn}'],
    ['CancelOrder', 'dynamodb:UpdateItem', '${TablesOrders.Arn}'],
  ])('allow %s its log, %s on %s, and nothing else', (name, action, table) => {
    expect(properties(stage, 'AWS::IAM::Role')[`${name}Role`]).toEqual({
      AssumeRolePolicyDocument: assumedBy('lambda'),
      Policies: [
        {
          PolicyName: 'WriteLogs',
          PolicyDocument: policy(
            ['logs:CreateLogStream', 'logs:PutLogEvents'],
            `\${${name}Logs.Arn}`,
          ),
        },
        { PolicyName: 'UseTable', PolicyDocument: policy(action, table) },
      ],
    });
  });

  it('are one for each function, and one for each AWS service that acts for us', () => {
    const managed = (service: string, name: string) => ({
      AssumeRolePolicyDocument: assumedBy(service),
      ManagedPolicyArns: [`arn:\${AWS::Partition}:iam::aws:policy/service-role/${name}`],
    });

    const roles = properties(stage, 'AWS::IAM::Role');

    expect(roles).toEqual({
      ...Object.fromEntries(
        functionNames.map((name) => [`${capitalized(name)}Role`, expect.anything()]),
      ),
      ApiAccessLogsApiGatewayRole: managed('apigateway', 'AmazonAPIGatewayPushToCloudWatchLogs'),
      ...(stageSettings(stage).gradualDeployment && {
        DeploymentRole: managed('codedeploy', 'AWSCodeDeployRoleForLambdaLimited'),
      }),
    });
  });

  it('have no policies attached from elsewhere', () => {
    expect(properties(stage, 'AWS::IAM::Policy')).toEqual({});
    expect(properties(stage, 'AWS::IAM::ManagedPolicy')).toEqual({});
  });
});

function policy(Action: string | string[], Resource: string) {
  return { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action, Resource }] };
}

function assumedBy(service: string) {
  return {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Action: 'sts:AssumeRole',
        Principal: { Service: `${service}.amazonaws.com` },
      },
    ],
  };
}
