import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import type { AuthorizerContext } from '../../lambdas/keys/rate-limit-headers.ts';

/**
 * The format of a line of the access log, which is one JSON object per request. The public `ownerId` and `keyId`
 * identify the sender of the request. Every value is quoted, because API Gateway writes `-` for an unknown value, and
 * an unquoted `-` is not valid JSON.
 *
 * API Gateway inserts values without escaping, so no value is a text that a client chooses. The method is one of
 * seven, the resource is the route's template, and the authorizer's values are ids and plans from the tables. No value
 * is a header, so the token is never logged. Clients can choose `$context.requestId`, so the log has the extended
 * request id instead, which clients receive as `x-amz-apigw-id`.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-variables-for-access-logging.html
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-access-logging.html
 */
export const accessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    stage: '$context.stage',
    extendedRequestId: '$context.extendedRequestId',
    // Lambda's id of the authorizer's invocation. The authorizer's own log lines have the same id.
    authorizerRequestId: '$context.authorizer.requestId',
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
    // The only latency of a streamed response that does not depend on the speed of the client.
    firstContentMs: '$context.integration.timeToFirstContent',
    integrationLatencyMs: '$context.integrationLatency',
    integrationStatus: '$context.integrationStatus',
  }),
);

function ofAuthorizer(name: keyof AuthorizerContext): string {
  return `$context.authorizer.${name}`;
}
