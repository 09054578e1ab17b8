import { type WindowName, type WindowUse, windowLengths, windowNames } from './windows.ts';

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
 * The rate-limit headers of every response. Each header has two entries: the variable of the authorizer's context that
 * contains the value, and the value for a request without a valid key. The first three headers are widely used, and
 * describe one window. The other two follow an IETF draft, and describe both windows.
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
