import { type Allowance, rateLimit, rateLimitPolicy } from '../shared/rate-limit-fields.ts';
import type { WindowName } from '../shared/windows.ts';
import { type KeyState, type Moment, standingOf } from './key-state.ts';

/** What a request is told about its key, and whether it may pass. Times are Unix seconds. */
export interface Verdict {
  ownerId: string;
  keyId: string;
  plan: string;
  limit: number;
  remaining: number;
  reset: number;
  /** Both windows, as the headers `RateLimit-Policy` and `RateLimit` have them. */
  rateLimitPolicy: string;
  rateLimit: string;
  /** Whole seconds, at least 1, after which a request can succeed. */
  retryAfterSeconds: number;
  /** Present when the request is refused. */
  rejection?: { code: RejectionCode; message: string };
  /** This very request began a ban. */
  isBanStart?: boolean;
}

export type RejectionCode = 'rate_limit_exceeded' | 'quota_exceeded' | 'api_key_banned';

/** The verdict on a request that has been counted, from the item as the count left it. */
export function admission(state: KeyState, moment: Moment): Verdict {
  const { minute, day } = standingOf(state, moment);
  const described = leastLeft({ minute, day });
  const windows = { minute, day };
  return describe(state, windows, described, windows[described].reset, moment);
}

/** The verdict on a request that is not admitted: why, and from when on one can be. */
export function rejection(state: KeyState, moment: Moment): Verdict {
  const { minute, day, full, isBanned } = standingOf(state, moment);
  const ends = [...full.map(({ reset }) => reset), isBanned ? state.key.bannedUntil : 0];
  const servedFrom = Math.max(...ends);
  // A ban withholds what is left of both windows until it is over.
  const withheld = (window: Allowance) => ({ ...window, remaining: 0, reset: servedFrom });
  const windows = isBanned ? { minute: withheld(minute), day: withheld(day) } : { minute, day };
  const verdict = describe(state, windows, leastLeft({ minute, day }), servedFrom, moment);
  const wait = `Retry after ${verdict.retryAfterSeconds} seconds.`;

  if (isBanned) {
    const message = `This API key is banned for a while because it kept exceeding its limits. ${wait}`;
    return { ...verdict, rejection: { code: 'api_key_banned', message } };
  }
  if (day.remaining === 0) {
    const message = `The limit of ${day.limit} requests per day is used up. ${wait}`;
    return { ...verdict, rejection: { code: 'quota_exceeded', message } };
  }
  const message = `The limit of ${minute.limit} requests per minute is used up. ${wait}`;
  return { ...verdict, rejection: { code: 'rate_limit_exceeded', message } };
}

/** The minute on a tie. */
function leastLeft({ minute, day }: Record<WindowName, Allowance>): WindowName {
  return day.remaining < minute.remaining ? 'day' : 'minute';
}

function describe(
  { owner, key }: KeyState,
  windows: Record<WindowName, Allowance>,
  described: WindowName,
  servedFrom: number,
  { nowMs }: Moment,
): Verdict {
  const { limit, remaining, reset } = windows[described];
  return {
    ownerId: owner.ownerId,
    keyId: key.keyId,
    plan: owner.plan,
    limit,
    remaining,
    reset,
    rateLimitPolicy: rateLimitPolicy(windows),
    rateLimit: rateLimit(windows, nowMs),
    retryAfterSeconds: Math.max(1, Math.ceil(servedFrom - nowMs / 1_000)),
  };
}
