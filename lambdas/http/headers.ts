import type { APIGatewayProxyEvent } from 'aws-lambda';
import { rateLimitHeaders } from '../keys/rate-limit-headers.ts';

/**
 * The value of a request's header. The case of the name is ignored, because API Gateway passes on the client's
 * spelling. Repeated headers are joined with commas (RFC 9110, section 5.3).
 */
export function header(event: APIGatewayProxyEvent, name: Lowercase<string>): string | undefined {
  const headers = Object.entries(event.multiValueHeaders ?? {});
  const sent = headers.filter(([key]) => key.toLowerCase() === name);
  return sent.length > 0 ? sent.flatMap(([, values]) => values ?? []).join(', ') : undefined;
}

/**
 * The headers that scripts in a browser may read, in addition to the headers that browsers always let them read.
 *
 * @see https://fetch.spec.whatwg.org/#cors-safelisted-response-header-name
 */
const exposedHeaders = [
  ...Object.keys(rateLimitHeaders),
  'Allow',
  'Retry-After',
  'x-amzn-Remapped-WWW-Authenticate',
  'Deprecation',
  'Sunset',
  'x-amzn-RequestId',
  'x-amz-apigw-id',
];

/**
 * The headers of every response, including API Gateway's own responses, except the rate-limit headers. Without
 * `no-store`, some caches would serve a list without a key. The allowed origin is the same for every request, so no
 * response depends on the request's `Origin` or needs `Vary`.
 *
 * @param corsOrigin undefined if no script of another origin may read responses
 */
export function everyResponseHeaders(corsOrigin: string | undefined): Record<string, string> {
  return {
    'Cache-Control': 'no-store',
    ...(corsOrigin !== undefined && {
      'Access-Control-Allow-Origin': corsOrigin,
      'Access-Control-Expose-Headers': exposedHeaders.join(', '),
    }),
  };
}
