import type { KeyRecord } from '../shared/key-record.ts';
import { type WindowUse, windowUses } from '../shared/windows.ts';

/** What a request is told about its key, and whether it may pass. Times are Unix seconds. */
export interface Verdict {
  keyId: string;
  plan: string;
  limit: number;
  remaining: number;
  reset: number;
  /** Whole seconds, at least 1, after which a request can succeed. */
  retryAfterSeconds: number;
  /** Present when the request is refused. */
  rejection?: { code: RejectionCode; message: string };
  /** This very request began a ban. */
  isBanStart?: boolean;
}

export type RejectionCode = 'rate_limit_exceeded' | 'quota_exceeded' | 'api_key_banned';

/** The verdict on a request that has been counted, from the item as the count left it. */
export function admission(key: KeyRecord, nowMs: number): Verdict {
  const { minute, day } = windowUses(key, Math.floor(nowMs / 1_000));
  const described = leastLeft(minute, day);
  return describe(key, described, described.reset, nowMs);
}

/** The verdict on a request that is not admitted: why, and from when on one can be. */
export function rejection(key: KeyRecord, nowMs: number): Verdict {
  const nowSeconds = Math.floor(nowMs / 1_000);
  const { minute, day } = windowUses(key, nowSeconds);
  const isBanned = key.bannedUntil > nowSeconds;
  const exhausted = [minute, day].filter((window) => window.remaining === 0);
  const servedFrom = Math.max(
    ...exhausted.map((window) => window.reset),
    isBanned ? key.bannedUntil : 0,
  );
  const described = leastLeft(minute, day);
  const verdict = describe(key, described, servedFrom, nowMs);
  const wait = `Retry after ${verdict.retryAfterSeconds} seconds.`;

  if (isBanned) {
    const message = `This API key is banned for a while because it kept exceeding its limits. ${wait}`;
    const rejection = { code: 'api_key_banned' as const, message };
    return { ...verdict, remaining: 0, reset: servedFrom, rejection };
  }
  if (day.remaining === 0) {
    const message = `The limit of ${day.limit} requests per day is used up. ${wait}`;
    return { ...verdict, rejection: { code: 'quota_exceeded', message } };
  }
  const message = `The limit of ${minute.limit} requests per minute is used up. ${wait}`;
  return { ...verdict, rejection: { code: 'rate_limit_exceeded', message } };
}

/** The minute on a tie. */
function leastLeft(minute: WindowUse, day: WindowUse): WindowUse {
  return day.remaining < minute.remaining ? day : minute;
}

function describe(key: KeyRecord, window: WindowUse, servedFrom: number, nowMs: number): Verdict {
  const { limit, remaining, reset } = window;
  const retryAfterSeconds = Math.max(1, Math.ceil((servedFrom * 1_000 - nowMs) / 1_000));
  return { keyId: key.keyId, plan: key.plan, limit, remaining, reset, retryAfterSeconds };
}
