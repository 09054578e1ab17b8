import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { functionNames } from '../../lib/settings/functions.ts';
import { capitalized, stackName, stackTag } from '../../lib/settings/names.ts';
import { planNames, plans } from '../../lib/settings/plans.ts';
import { stageSettings } from '../../lib/settings/stages.ts';
import { expectContained } from '../helpers/agreement.ts';
import { tableShapes } from '../helpers/dynamodb/table-shapes.ts';
import { assemblyDirectory, stageNames, template } from '../helpers/synthesized.ts';
import { readable, resources } from './readable.ts';

const apiGatewayUrl = 'https://${ApiRestApi}.execute-api.eu-central-1.${AWS::URLSuffix}';

describe.each(stageNames)('stack of %s', (stage) => {
  it('R27, I30: outputs its base address, which ends with /v1, and the names that operators need', () => {
    const usagePlans = planNames
      .map(capitalized)
      .map((name) => [`UsagePlanId${name}`, { Value: `\${UsagePlans${name}}` }]);
    const functions = functionNames.map(capitalized).flatMap((name) => [
      [`${name}FunctionName`, { Value: `\${${name}Function}` }],
      [`${name}LogGroupName`, { Value: `\${${name}Logs}` }],
    ]);

    expect(readable(template(stage).Outputs)).toEqual({
      BaseUrl: { Value: `${apiGatewayUrl}/\${ApiRestApiDeploymentStage${stage}}/v1` },
      RestApiId: { Value: '${ApiRestApi}' },
      OrdersTableName: { Value: '${TablesOrders}' },
      OrdersStreamArn: { Value: '${TablesOrders.StreamArn}' },
      ApiKeysTableName: { Value: '${TablesApiKeys}' },
      OwnersTableName: { Value: '${TablesOwners}' },
      Plans: { Value: JSON.stringify(plans) },
      AlarmTopicArn: { Value: '${MonitoringAlarmTopic}' },
      AccessLogGroupName: { Value: '${ApiAccessLogs}' },
      ExecutionLogGroupName: { Value: '${ApiExecutionLogs}' },
      ...Object.fromEntries([...functions, ...usagePlans]),
    });
  });

  it("has the tag by which AWS's bill is divided, and is protected from deletion if the stage says so", () => {
    const manifest = JSON.parse(readFileSync(`${assemblyDirectory()}/manifest.json`, 'utf8'));

    const { properties } = manifest.artifacts[stackName(stage)];

    expect(properties).toMatchObject({
      tags: { [stackTag]: stackName(stage) },
      terminationProtection: stageSettings(stage).deletionProtection,
    });
  });

  it('I11: has no CORS headers, no preflights and no web ACL', () => {
    expect(JSON.stringify(template(stage))).not.toMatch(
      /Access-Control|CORS_ORIGIN|"OPTIONS"|AWS::WAF/,
    );
  });

  it("sets the account's logging role when IAM knows it, and keeps it for other APIs", () => {
    const kept = { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' };

    expect(resources(stage, 'AWS::ApiGateway::Account')).toMatchObject({
      ApiRestApiAccount: {
        Properties: { CloudWatchRoleArn: '${ApiRestApiCloudWatchRole.Arn}' },
        DependsOn: expect.arrayContaining([expect.stringMatching(/^ApiRestApiDeployment[0-9A-F]/)]),
        ...kept,
      },
    });
    expect(resources(stage, 'AWS::IAM::Role').ApiRestApiCloudWatchRole).toMatchObject(kept);
  });

  it('keeps the ids of the resources that an update of the CDK must not replace', () => {
    const lasting = /DynamoDB::Table|ApiGateway::(RestApi|UsagePlan)$/;
    const ids = Object.entries(template(stage).Resources)
      .filter(([, { Type }]) => lasting.test(Type))
      .map(([id]) => id);

    const kept = [
      'ApiRestApiE35FEAFE',
      'TablesApiKeys330F873D',
      'TablesOrdersACF7C9C0',
      'TablesOwnersF2B0C096',
      'UsagePlansBusiness61B4708B',
      'UsagePlansEnterprise7D83AA70',
      'UsagePlansFreeA3438353',
      'UsagePlansProD81A9807',
    ];
    expectContained(['test/lib/stack.test.ts', kept], ['the template', ids]);
  });

  it('contains no key and no credential', () => {
    expect(JSON.stringify(template(stage))).not.toMatch(/_[0-9A-Za-z]{46}|A(KI|SI)A[0-9A-Z]{16}/);
  });
});

it.each(stageNames)(
  'The tables of %s are the tables that other tests create, with their keys, stream, protection and recovery',
  (stage) => {
    const { deletionProtection, pointInTimeRecoveryDays, removalPolicy } = stageSettings(stage);
    const tables = resources(stage, 'AWS::DynamoDB::Table');
    const isRecoverable = pointInTimeRecoveryDays > 0;
    const policy = removalPolicy === 'retain' ? 'Retain' : 'Delete';
    const expected = Object.entries(tableShapes).map(([name, shape]) => {
      const Properties = {
        ...shape,
        BillingMode: 'PAY_PER_REQUEST',
        DeletionProtectionEnabled: deletionProtection,
        PointInTimeRecoverySpecification: {
          PointInTimeRecoveryEnabled: isRecoverable,
          ...(isRecoverable && { RecoveryPeriodInDays: pointInTimeRecoveryDays }),
        },
        ...(name === 'Orders' && { StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' } }),
      };
      const policies = { DeletionPolicy: policy, UpdateReplacePolicy: policy };
      return [`Tables${name}`, { Type: 'AWS::DynamoDB::Table', Properties, ...policies }];
    });

    expect(tables).toEqual(Object.fromEntries(expected));
  },
);

it('The tables of prod outlive their stack, and can be restored for 35 days', () => {
  expect(stageSettings('prod')).toMatchObject({
    ...{ deletionProtection: true, removalPolicy: 'retain', pointInTimeRecoveryDays: 35 },
  });
});
