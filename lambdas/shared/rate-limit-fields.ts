import { type WindowName, windowLengths } from './windows.ts';

/** What an owner has left of a window, as a client is told. Times are Unix seconds. */
export interface Allowance {
  limit: number;
  remaining: number;
  reset: number;
}

type Allowances = Record<WindowName, Allowance>;

const names = Object.keys(windowLengths) as WindowName[];
const noAllowance: Allowance = { limit: 0, remaining: 0, reset: 0 };
const noAllowances: Allowances = { minute: noAllowance, day: noAllowance };

/** The quota of each window: `"minute";q=60;w=60, "day";q=1000;w=86400`. */
export function rateLimitPolicy(allowances: Allowances): string {
  return listOf((name) => `q=${allowances[name].limit};w=${windowLengths[name]}`);
}

/** What is left of each, and for how many seconds: `"minute";r=59;t=34, "day";r=999;t=40000`. */
export function rateLimit(allowances: Allowances, nowMs: number): string {
  return listOf((name) => {
    const { remaining, reset } = allowances[name];
    return `r=${remaining};t=${Math.max(0, Math.ceil(reset - nowMs / 1_000))}`;
  });
}

/**
 * The headers of every response that state a limit: the authorizer's variable that holds the value,
 * and the value where no key was recognised, so that there is no allowance to state. The first
 * three are the contract's, the others those of an IETF draft that names both windows.
 *
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
export const rateLimitHeaders = {
  'X-RateLimit-Limit': { variable: 'limit', otherwise: '0' },
  'X-RateLimit-Remaining': { variable: 'remaining', otherwise: '0' },
  'X-RateLimit-Reset': { variable: 'reset', otherwise: '0' },
  'RateLimit-Policy': { variable: 'rateLimitPolicy', otherwise: rateLimitPolicy(noAllowances) },
  RateLimit: { variable: 'rateLimit', otherwise: rateLimit(noAllowances, 0) },
} as const;

/** A list of structured fields (RFC 9651): each window's name with its parameters. */
function listOf(parameters: (name: WindowName) => string): string {
  return names.map((name) => `"${name}";${parameters(name)}`).join(', ');
}
