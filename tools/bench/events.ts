import { cannedToken, type KeyCase } from './canned-keys.ts';
import { orderId } from './canned-orders.ts';

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
  return proxyEvent('GET', '/v1/store/orders', { headers });
}

/** The event of `DELETE /store/orders/{orderId}` for a pending order. */
export function cancelEvent() {
  const id = orderId(0);
  return proxyEvent('DELETE', `/v1/store/orders/${id}`, { pathParameters: { orderId: id } });
}

/** What the functions read of API Gateway's event. */
function proxyEvent(httpMethod: string, path: string, others: object) {
  return {
    httpMethod,
    path,
    body: null,
    requestContext: {
      requestId: '00000000-0000-4000-8000-000000000000',
      authorizer: { keyId: 'key_0123456789abcdefghijklmnopqrstuv', limit: '60000' },
    },
    ...others,
  };
}
