import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { ReadableHeader } from './request-headers.ts';

/** The context that the authorizer returned; API Gateway passes every value as a string. */
export interface AuthorizerContext {
  ownerId: string;
  keyId: string;
  plan: string;
  limit: string;
  remaining: string;
  reset: string;
  rateLimitPolicy: string;
  rateLimit: string;
  retryAfter: string;
}

/** The authorizer's context; empty for a method without authorizer or context. */
export function authorizerContext(event: APIGatewayProxyEvent): Partial<AuthorizerContext> {
  return (event.requestContext?.authorizer ?? {}) as Partial<AuthorizerContext>;
}

/**
 * The fields that identify a request in every log line. A client can choose `requestId`, and quotes
 * it when it asks about a request; it cannot choose `extendedRequestId`.
 */
export function logFields(event: APIGatewayProxyEvent) {
  const { requestId, extendedRequestId } = event.requestContext ?? {};
  return { requestId, extendedRequestId, keyId: authorizerContext(event).keyId };
}

/**
 * The value of a header. API Gateway leaves the case of header names as the client sent them, so it
 * is ignored. Repeated headers are joined with commas (RFC 9110, section 5.3).
 *
 * @param name in lower case
 */
export function header(event: APIGatewayProxyEvent, name: ReadableHeader): string | undefined {
  const values: string[] = [];
  for (const [key, value] of Object.entries(event.multiValueHeaders ?? {})) {
    if (key.toLowerCase() === name && value) values.push(...value);
  }
  if (values.length > 0) return values.join(', ');
  const single = Object.entries(event.headers ?? {}).find(([key]) => key.toLowerCase() === name);
  return single?.[1];
}
