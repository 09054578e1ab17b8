/**
 * What a script in a browser may read of a response, besides its status, its body and the few
 * headers that every script may read.
 *
 * @see https://fetch.spec.whatwg.org/#cors-safelisted-response-header-name
 */
const exposedHeaders = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Deprecation',
  'Sunset',
  'Link',
  'x-amzn-RequestId',
  'x-amz-apigw-id',
];

/**
 * The headers by which a browser lets scripts of an origin read a response. The origin is the same
 * for every request, so that no response depends on the request's `Origin`: no `Vary` is needed.
 *
 * @param origin such as `https://shop.example.com`, or `*`; undefined where no script may read
 */
export function corsHeaders(origin: string | undefined): Record<string, string> {
  if (origin === undefined) return {};
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': exposedHeaders.join(', '),
  };
}
