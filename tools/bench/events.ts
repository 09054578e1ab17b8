import { type OperationName, operations } from '../../lib/settings/functions.ts';
import { cannedToken, type KeyCase } from './canned-keys.ts';
import { orderId } from './canned-orders.ts';

export function authorizerEvent(keyCase: KeyCase) {
  return {
    type: 'TOKEN',
    authorizationToken: `Bearer ${cannedToken(keyCase)}`,
    methodArn:
      'arn:aws:execute-api:eu-central-1:123456789012:a1b2c3d4e5/staging/GET/v1/store/orders',
  };
}

/** API Gateway's event for an operation on the first canned order, as far as its function reads it. */
export function operationEvent(name: OperationName, headers: Record<string, string> = {}) {
  const { method, path } = operations[name];
  const id = orderId(0);
  return {
    httpMethod: method,
    path: `/v1${path.replace('{orderId}', id)}`,
    pathParameters: { orderId: id },
    multiValueHeaders: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, [value]]),
    ),
    body: null,
    requestContext: {
      requestId: '00000000-0000-4000-8000-000000000000',
      requestTimeEpoch: Date.now(),
      authorizer: { keyId: 'key_0123456789abcdefghijklmnopqrstuv', limit: '60000' },
    },
  };
}
