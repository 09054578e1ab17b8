import type { APIGatewayProxyEvent } from 'aws-lambda';

/** Headers of HTTP itself that handlers read. They are no parameters of an operation. */
const httpHeaders = ['Accept-Encoding', 'Content-Type'] as const;

/**
 * The header parameters of each operation that has some, as in `{ cancelOrder: ['If-Match'] }`. A handler
 * can read no header that is neither here nor one of HTTP's own; preflights allow what is here, and the
 * contract (`openapi.yaml`) is compared with it.
 */
export const headerParameters = {} as const satisfies Readonly<Record<string, readonly string[]>>;

type HeaderParameter = (typeof headerParameters)[keyof typeof headerParameters][number];

/** The name of a header that a handler may read, in lower case. */
type ReadableHeader = Lowercase<(typeof httpHeaders)[number] | HeaderParameter>;

/** What a script of another origin may send, beyond what browsers add by themselves. */
export const allowedRequestHeaders = [
  'Authorization',
  'Content-Type',
  ...Object.values<readonly string[]>(headerParameters).flat(),
];

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
