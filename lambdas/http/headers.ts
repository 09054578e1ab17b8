import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type WindowName, type WindowUse, windowLengths, windowNames } from '../keys/windows.ts';

/**
 * The value of a request's header. The case of the name is ignored, because API Gateway does not change it. Repeated
 * headers are joined with commas (RFC 9110, section 5.3).
 */
export function header(event: APIGatewayProxyEvent, name: Lowercase<string>): string | undefined {
  const headers = Object.entries(event.multiValueHeaders ?? {});
  const sent = headers.filter(([key]) => key.toLowerCase() === name);
  return sent.length > 0 ? sent.flatMap(([, values]) => values ?? []).join(', ') : undefined;
}

type Allowance = Pick<WindowUse, 'limit' | 'remaining' | 'reset'>;

/** An owner's limits for the rate-limit headers. */
export type Allowances = Record<WindowName, Allowance>;

const noAllowance: Allowance = { limit: 0, remaining: 0, reset: 0 };
const noAllowances: Allowances = { minute: noAllowance, day: noAllowance };

/** The quota of each window: `"minute";q=60;w=60, "day";q=1000;w=86400`. */
export function rateLimitPolicy(allowances: Allowances): string {
  return listOf((name) => `q=${allowances[name].limit};w=${windowLengths[name]}`);
}

/** The remaining requests and seconds of each window: `"minute";r=59;t=34, "day";r=999;t=40000`. */
export function rateLimit(allowances: Allowances, nowMs: number): string {
  return listOf((name) => {
    const { remaining, reset } = allowances[name];
    return `r=${remaining};t=${Math.max(0, Math.ceil(reset - nowMs / 1_000))}`;
  });
}

/** A structured list (RFC 9651) with the name and the parameters of each window. */
function listOf(parameters: (name: WindowName) => string): string {
  return windowNames.map((name) => `"${name}";${parameters(name)}`).join(', ');
}

/** The context that the authorizer returned. API Gateway passes every value as a string. */
export interface AuthorizerContext {
  ownerId: string;
  keyId: string;
  plan: string;
  /** `true` if the key may only read; absent otherwise. */
  isReadOnly?: string;
  limit: string;
  remaining: string;
  reset: string;
  rateLimitPolicy: string;
  rateLimit: string;
  retryAfter: string;
}

/**
 * The rate-limit headers of every response. Each has the variable of the authorizer's context with its value, and its
 * value for a request without a valid key. The first three headers are widely used, and describe one window. The other
 * two follow an IETF draft, and describe both windows.
 *
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
export const rateLimitHeaders = {
  'X-RateLimit-Limit': { variable: 'limit', withoutKey: '0' },
  'X-RateLimit-Remaining': { variable: 'remaining', withoutKey: '0' },
  'X-RateLimit-Reset': { variable: 'reset', withoutKey: '0' },
  'RateLimit-Policy': { variable: 'rateLimitPolicy', withoutKey: rateLimitPolicy(noAllowances) },
  RateLimit: { variable: 'rateLimit', withoutKey: rateLimit(noAllowances, 0) },
} as const;

/**
 * The headers that scripts in a browser may read in addition to the headers that are always readable.
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
 * The headers of every response, even of API Gateway's own, except the rate-limit headers. Without
 * `no-store`, some caches would serve a list without a key. The allowed origin is the same for every
 * request, so no response depends on the request's `Origin` or needs `Vary`.
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
