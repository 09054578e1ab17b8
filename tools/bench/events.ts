import { cannedToken, type KeyCase } from './canned-keys.ts';
import { orderId } from './canned-orders.ts';

const authorizer = {
  keyId: 'key_0123456789abcdefghijklmnopqrstuv',
  plan: 'enterprise',
  limit: '60000',
  remaining: '59983',
  reset: '1795000000',
  retryAfter: '12',
};

/** The event of a TOKEN authorizer. */
export function authorizerEvent(keyCase: KeyCase) {
  return {
    type: 'TOKEN',
    authorizationToken: `Bearer ${cannedToken(keyCase)}`,
    methodArn:
      'arn:aws:execute-api:eu-central-1:123456789012:a1b2c3d4e5/staging/GET/v1/store/orders',
  };
}

/** The event of `GET /store/orders`. */
export function listEvent(headers: Record<string, string> = {}) {
  return proxyEvent('GET', '/v1/store/orders', null, headers);
}

/** The event of `DELETE /store/orders/{orderId}` for a pending order. */
export function cancelEvent() {
  const id = orderId(0);
  return proxyEvent('DELETE', `/v1/store/orders/${id}`, { orderId: id });
}

function proxyEvent(
  httpMethod: string,
  path: string,
  pathParameters: Record<string, string> | null,
  headers: Record<string, string> = {},
) {
  const entries = Object.entries(headers).map(([name, value]) => [name, [value]]);
  return {
    httpMethod,
    path,
    pathParameters,
    headers,
    multiValueHeaders: Object.fromEntries(entries),
    queryStringParameters: null,
    body: null,
    isBase64Encoded: false,
    requestContext: {
      requestId: '00000000-0000-4000-8000-000000000000',
      httpMethod,
      path: `/staging${path}`,
      stage: 'staging',
      authorizer,
    },
  };
}
