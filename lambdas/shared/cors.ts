import { rateLimitHeaders } from './rate-limit-fields.ts';

/**
 * The headers that scripts in a browser may read in addition to those that are always readable.
 *
 * @see https://fetch.spec.whatwg.org/#cors-safelisted-response-header-name
 */
const exposedHeaders = [
  ...Object.keys(rateLimitHeaders),
  'Retry-After',
  'Deprecation',
  'Sunset',
  'Link',
  'x-amzn-RequestId',
  'x-amz-apigw-id',
];

/**
 * The headers that allow scripts of an origin to read a response. The allowed origin is the same for
 * every request, so no response depends on the request's `Origin` and needs a `Vary` header.
 *
 * @param origin such as `https://shop.example.com`, or `*`; undefined if no script may read responses
 */
export function corsHeaders(origin: string | undefined): Record<string, string> {
  if (origin === undefined) return {};
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': exposedHeaders.join(', '),
  };
}
