import { describe, expect, it } from '@jest/globals';
import { type FunctionName, functionNames } from '../../lib/settings/functions.ts';
import { capitalized } from '../../lib/settings/names.ts';
import { plans } from '../../lib/settings/plans.ts';
import { stageSettings } from '../../lib/settings/stages.ts';
import { stageNames } from '../helpers/synthesized.ts';
import { properties, resources } from './readable.ts';

/** The settings and the permissions of each function. */
const expectedFunctions = {
  authorizer: {
    size: { MemorySize: 512, Timeout: 5 },
    table: 'TablesApiKeys',
    actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
  },
  listOrders: {
    // Half of the account's concurrency. The other half is for the authorizer and cancellations.
    size: { MemorySize: 1_769, Timeout: 300, ReservedConcurrentExecutions: 500 },
    table: 'TablesOrders',
    actions: ['dynamodb:Scan'],
  },
  cancelOrder: {
    size: { MemorySize: 512, Timeout: 10 },
    table: 'TablesOrders',
    actions: ['dynamodb:UpdateItem'],
  },
} satisfies Record<FunctionName, object>;
const expectedEntries = Object.entries(expectedFunctions).map(
  ([name, expected]) => [capitalized(name), expected] as const,
);

describe.each(stageNames)('functions of %s', (stage) => {
  const { apiKeyPrefix, gradualDeployment, logRetentionDays } = stageSettings(stage);
  const functions = properties(stage, 'AWS::Lambda::Function');

  it.each(expectedEntries)(
    'run on Node 24, arm64, with a log group of their own, and receive only their table and stage: %s',
    (name, { size, table }) => {
      const ofAuthorizer = {
        API_KEYS_TABLE: `\${${table}}`,
        API_KEY_PREFIX: apiKeyPrefix,
        PLANS: JSON.stringify(plans),
      };
      const own = name === 'Authorizer' ? ofAuthorizer : { ORDERS_TABLE: `\${${table}}` };

      expect(functions[`${name}Function`]).toEqual({
        ...size,
        Description: expect.any(String),
        Code: expect.anything(),
        Environment: { Variables: { STAGE: stage, ...own } },
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Handler: 'index.handler',
        Role: `\${${name}Role.Arn}`,
        LoggingConfig: { LogFormat: 'Text', LogGroup: `\${${name}Logs}` },
      });
    },
  );

  it.each(expectedEntries)(
    'may only write their log and use their table: %s',
    (name, { table, actions }) => {
      const Action = actions.length === 1 ? actions[0] : actions;
      const log = ['logs:CreateLogStream', 'logs:PutLogEvents'];

      expect(properties(stage, 'AWS::IAM::Role')[`${name}Role`]).toEqual({
        AssumeRolePolicyDocument: assumedBy('lambda'),
        Policies: [{ PolicyName: 'WriteLogs', PolicyDocument: policy(log, `\${${name}Logs.Arn}`) }],
      });
      expect(Object.values(properties(stage, 'AWS::IAM::Policy'))).toContainEqual({
        PolicyName: expect.any(String),
        PolicyDocument: policy(Action!, `\${${table}.Arn}`),
        Roles: [`\${${name}Role}`],
      });
    },
  );

  it('share the stack with one role for each AWS service that acts on it, and no others', () => {
    const managed = (service: string, name: string) => ({
      AssumeRolePolicyDocument: assumedBy(service),
      ManagedPolicyArns: [`arn:\${AWS::Partition}:iam::aws:policy/service-role/${name}`],
    });

    expect(properties(stage, 'AWS::IAM::Role')).toEqual({
      ...Object.fromEntries(expectedEntries.map(([name]) => [`${name}Role`, expect.anything()])),
      ApiRestApiCloudWatchRole: managed('apigateway', 'AmazonAPIGatewayPushToCloudWatchLogs'),
      ...(gradualDeployment && {
        DeploymentRole: managed('codedeploy', 'AWSCodeDeployRoleForLambdaLimited'),
      }),
    });
    expect(Object.keys(properties(stage, 'AWS::IAM::Policy'))).toHaveLength(expectedEntries.length);
    expect(properties(stage, 'AWS::IAM::ManagedPolicy')).toEqual({});
  });

  it("have logs that expire after the configured time and are deleted with the stack, like the API's", () => {
    const RetentionInDays = logRetentionDays;

    expect(properties(stage, 'AWS::Logs::LogGroup')).toEqual({
      ...Object.fromEntries(expectedEntries.map(([name]) => [`${name}Logs`, { RetentionInDays }])),
      ApiAccessLogs: { RetentionInDays },
      ApiExecutionLogs: {
        RetentionInDays,
        LogGroupName: `API-Gateway-Execution-Logs_\${ApiRestApi}/${stage}`,
      },
    });
    for (const logGroup of Object.values(resources(stage, 'AWS::Logs::LogGroup'))) {
      expect(logGroup).toMatchObject({ DeletionPolicy: 'Delete', UpdateReplacePolicy: 'Delete' });
    }
  });
});

describe('a deployment of prod', () => {
  const names = functionNames.map(capitalized);

  it.each(names)(
    'moves the alias of %s from version to version, and retains the versions',
    (name) => {
      const alias = resources('prod', 'AWS::Lambda::Alias')[`${name}Live`];
      const version = resources('prod', 'AWS::Lambda::Version')[`${name}FunctionCurrentVersion`];

      expect(alias).toMatchObject({
        Properties: {
          Name: 'live',
          FunctionName: `\${${name}Function}`,
          FunctionVersion: `\${${name}FunctionCurrentVersion.Version}`,
        },
        UpdatePolicy: {
          CodeDeployLambdaAliasUpdate: {
            ApplicationName: '${DeploymentApplication}',
            DeploymentGroupName: `\${Deployment${name}}`,
          },
        },
      });
      // A version must be deleted if its creation is rolled back, because it would make the next deployment fail.
      expect(version!.DeletionPolicy).toBe('RetainExceptOnCreate');
    },
  );

  it('moves a tenth of the traffic to the new version first, and rolls back on an alarm', () => {
    const group = {
      ApplicationName: '${DeploymentApplication}',
      ServiceRoleArn: '${DeploymentRole.Arn}',
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent10Minutes',
      DeploymentStyle: {
        DeploymentOption: 'WITH_TRAFFIC_CONTROL',
        DeploymentType: 'BLUE_GREEN',
      },
      AlarmConfiguration: {
        Enabled: true,
        Alarms: [
          { Name: '${MonitoringServerErrors}' },
          { Name: '${MonitoringAuthorizerFailures}' },
          { Name: '${MonitoringListsBrokenOff}' },
        ],
      },
      AutoRollbackConfiguration: {
        Enabled: true,
        Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
      },
    };

    expect(properties('prod', 'AWS::CodeDeploy::DeploymentGroup')).toEqual(
      Object.fromEntries(names.map((name) => [`Deployment${name}`, group])),
    );
  });
});

function policy(Action: string | string[], Resource: string) {
  return { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action, Resource }] };
}

function assumedBy(service: string) {
  const Principal = { Service: `${service}.amazonaws.com` };
  return {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal }],
  };
}
