import type { APIGatewayProxyEvent, APIGatewayTokenAuthorizerEvent, Context } from 'aws-lambda';
import { keyId, ownerId } from '../dynamodb/key-items.ts';

export const sourceIp = '192.0.2.7';
export const requestId = '6f1d3c3a-0000-4000-8000-000000000001';

const allowance = {
  limit: '60',
  remaining: '41',
  reset: '1795000020',
  rateLimitPolicy: '"minute";q=60;w=60, "day";q=1000;w=86400',
  rateLimit: '"minute";r=41;t=40, "day";r=970;t=40000',
};

/** The event of a TOKEN authorizer. */
export function authorizerEvent(authorizationToken: string): APIGatewayTokenAuthorizerEvent {
  return {
    type: 'TOKEN',
    authorizationToken,
    methodArn: 'arn:aws:execute-api:eu-central-1:123456789012:api1/staging/GET/v1/store/orders',
  };
}

/** The event of an admitted `DELETE /store/orders/{orderId}`, with overrides. */
export function cancelEvent(orderId: string | undefined, overrides: object = {}) {
  return proxyEvent({
    httpMethod: 'DELETE',
    path: `/v1/store/orders/${orderId}`,
    resource: '/v1/store/orders/{orderId}',
    pathParameters: orderId === undefined ? null : { orderId },
    ...overrides,
  });
}

interface Overrides {
  readonly headers?: object | undefined;
  readonly [member: string]: unknown;
}

/** The event of a proxy integration, with the authorizer's context and the given headers. */
export function proxyEvent(overrides: Overrides = {}): APIGatewayProxyEvent {
  const headers = Object.entries(overrides.headers ?? {});
  return {
    httpMethod: 'GET',
    path: '/v1/store/orders',
    resource: '/v1/store/orders',
    multiValueHeaders: Object.fromEntries(headers.map(([name, value]) => [name, [value]])),
    pathParameters: null,
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    stageVariables: null,
    body: null,
    isBase64Encoded: false,
    requestContext: requestContext(),
    ...overrides,
  } as unknown as APIGatewayProxyEvent;
}

/** The rate-limit headers of the responses to the events in this file. */
export const rateLimitHeaders = {
  'X-RateLimit-Limit': allowance.limit,
  'X-RateLimit-Remaining': allowance.remaining,
  'X-RateLimit-Reset': allowance.reset,
  'RateLimit-Policy': allowance.rateLimitPolicy,
  RateLimit: allowance.rateLimit,
};

/** The headers of every response to the events in this file. */
export const commonHeaders = { 'Cache-Control': 'no-store', ...rateLimitHeaders };

/** The rate-limit headers of a response without a valid key. */
export const noRateLimitHeaders = {
  'X-RateLimit-Limit': '0',
  'X-RateLimit-Remaining': '0',
  'X-RateLimit-Reset': '0',
  'RateLimit-Policy': '"minute";q=0;w=60, "day";q=0;w=86400',
  RateLimit: '"minute";r=0;t=0, "day";r=0;t=0',
};

/** @param overrides `authorizer: undefined` for a method without an authorizer */
export function requestContext(overrides: object = {}) {
  const authorizer = { ownerId, keyId, plan: 'free', ...allowance };
  return {
    requestId,
    requestTimeEpoch: Date.now(),
    stage: 'staging',
    identity: { sourceIp },
    authorizer,
    ...overrides,
  };
}

/** @param remainingMs the time until the function's timeout */
export function lambdaContext(remainingMs = 10_000): Context {
  return {
    awsRequestId: 'b2f0c1de-0000-4000-8000-000000000002',
    getRemainingTimeInMillis: () => remainingMs,
  } as Context;
}
