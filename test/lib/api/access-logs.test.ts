import { describe, expect, it } from '@jest/globals';
import { functionNames } from '../../../lib/settings/functions.ts';
import { capitalized } from '../../../lib/settings/names.ts';
import { stageSettings } from '../../../lib/settings/stages.ts';
import { stageNames } from '../../helpers/synthesized.ts';
import { properties, resources } from '../readable.ts';

describe.each(stageNames)('access logs of %s', (stage) => {
  it('tell who asked by the public key id, and what came of it, never the token', () => {
    const { AccessLogSetting } = properties(stage, 'AWS::ApiGateway::Stage')[
      `ApiRestApiDeploymentStage${stage}`
    ] as { AccessLogSetting: { DestinationArn: string; Format: string } };

    const fields = JSON.parse(AccessLogSetting.Format);

    expect(AccessLogSetting.DestinationArn).toBe('${ApiAccessLogs.Arn}');
    expect(fields).toEqual({
      time: '$context.requestTimeEpoch',
      stage: '$context.stage',
      requestId: '$context.requestId',
      extendedRequestId: '$context.extendedRequestId',
      ownerId: '$context.authorizer.ownerId',
      keyId: '$context.authorizer.keyId',
      plan: '$context.authorizer.plan',
      sourceIp: '$context.identity.sourceIp',
      method: '$context.httpMethod',
      resource: '$context.resourcePath',
      status: '$context.status',
      errorType: '$context.error.responseType',
      responseBytes: '$context.responseLength',
      responseLatencyMs: '$context.responseLatency',
      authorizerLatencyMs: '$context.authorizer.latency',
      authorizerStatus: '$context.authorizer.status',
      firstContentMs: '$context.integration.timeToFirstContent',
      integrationLatencyMs: '$context.integrationLatency',
      integrationStatus: '$context.integrationStatus',
    });
  });

  it('end after the configured time, like all logs', () => {
    const { logRetentionDays: days } = stageSettings(stage);
    const ofFunctions = functionNames.map((name) => [
      `${capitalized(name)}Logs`,
      { RetentionInDays: days },
    ]);

    expect(properties(stage, 'AWS::Logs::LogGroup')).toEqual({
      ...Object.fromEntries(ofFunctions),
      ApiAccessLogs: { RetentionInDays: days },
      ApiExecutionLogs: {
        RetentionInDays: days,
        LogGroupName: `API-Gateway-Execution-Logs_\${ApiRestApi}/${stage}`,
      },
    });
  });

  it('go with their stack', () => {
    for (const logGroup of Object.values(resources(stage, 'AWS::Logs::LogGroup'))) {
      expect(logGroup).toMatchObject({ DeletionPolicy: 'Delete', UpdateReplacePolicy: 'Delete' });
    }
  });

  it("keep the account's logging role when the stack goes: other APIs use it too", () => {
    const account = resources(stage, 'AWS::ApiGateway::Account').ApiAccessLogsApiGatewayAccount;
    const role = resources(stage, 'AWS::IAM::Role').ApiAccessLogsApiGatewayRole;

    expect(account).toMatchObject({
      Properties: { CloudWatchRoleArn: '${ApiAccessLogsApiGatewayRole.Arn}' },
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
    });
    expect(role).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
  });
});
