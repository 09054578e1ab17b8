import type { APIGatewayProxyEvent } from 'aws-lambda';

/** What the authorizer found out; API Gateway hands each value on as a string. */
export interface AuthorizerContext {
  ownerId: string;
  keyId: string;
  plan: string;
  limit: string;
  remaining: string;
  reset: string;
  rateLimitPolicy: string;
  rateLimit: string;
}

/** The authorizer's findings; empty where a method has no authorizer, or it returned no context. */
export function authorizerContext(event: APIGatewayProxyEvent): Partial<AuthorizerContext> {
  return (event.requestContext?.authorizer ?? {}) as Partial<AuthorizerContext>;
}

/**
 * Who asked, and under which ids: the fields of every log line. A client can choose `requestId`, by
 * which it asks about its request; nobody can choose `extendedRequestId`.
 */
export function logFields(event: APIGatewayProxyEvent) {
  const { requestId, extendedRequestId } = event.requestContext ?? {};
  return { requestId, extendedRequestId, keyId: authorizerContext(event).keyId };
}

/**
 * A header's value whatever the case of its name, which API Gateway leaves as the client wrote it.
 * A header sent more than once is one comma-separated list (RFC 9110, section 5.3).
 *
 * @param name in lower case
 */
export function header(event: APIGatewayProxyEvent, name: string): string | undefined {
  const values: string[] = [];
  for (const [key, value] of Object.entries(event.multiValueHeaders ?? {})) {
    if (key.toLowerCase() === name && value) values.push(...value);
  }
  if (values.length > 0) return values.join(', ');
  const single = Object.entries(event.headers ?? {}).find(([key]) => key.toLowerCase() === name);
  return single?.[1];
}
