import { AccessLogFormat, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigateway';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { RemovalPolicy } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { AuthorizerContext } from '../../lambdas/domain/headers.ts';
import type { StageSettings } from '../settings/stages.ts';

/**
 * The fields of a line, which is one JSON object per request. The public `ownerId` and `keyId` tell
 * whose request it was. Every value is quoted, because API Gateway writes `-` for an unknown one, which
 * is not valid JSON unquoted.
 *
 * API Gateway inserts values without escaping, so none of these is a text that a client chooses: the
 * method is one of seven, the resource is the route's template, the authorizer's values are ids and
 * plans of the tables. No value is a header, so the token is never logged. Clients can choose
 * `$context.requestId`, so the request's id is the extended one, which they receive as `x-amz-apigw-id`.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-variables-for-access-logging.html
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-access-logging.html
 */
const fields = {
  time: '$context.requestTimeEpoch',
  stage: '$context.stage',
  extendedRequestId: '$context.extendedRequestId',
  ownerId: ofAuthorizer('ownerId'),
  keyId: ofAuthorizer('keyId'),
  plan: ofAuthorizer('plan'),
  sourceIp: '$context.identity.sourceIp',
  method: '$context.httpMethod',
  resource: '$context.resourcePath',
  status: '$context.status',
  errorType: '$context.error.responseType',
  responseBytes: '$context.responseLength',
  responseLatencyMs: '$context.responseLatency',
  authorizerLatencyMs: '$context.authorizer.latency',
  authorizerStatus: '$context.authorizer.status',
  // For a stream, the other latencies last until its end and so depend on how fast the client reads.
  firstContentMs: '$context.integration.timeToFirstContent',
  integrationLatencyMs: '$context.integrationLatency',
  integrationStatus: '$context.integrationStatus',
};

function ofAuthorizer(name: keyof AuthorizerContext): string {
  return `$context.authorizer.${name}`;
}

/** The API's access log: its log group and its format. */
export class AccessLogs extends Construct {
  readonly logGroup: LogGroup;
  readonly destination: LogGroupLogDestination;
  readonly format = AccessLogFormat.custom(JSON.stringify(fields));

  constructor(scope: Construct, id: string, { logRetentionDays }: StageSettings) {
    super(scope, id);
    this.logGroup = new LogGroup(this, 'Logs', {
      retention: logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.destination = new LogGroupLogDestination(this.logGroup);
  }
}
