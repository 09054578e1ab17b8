import {
  type Item,
  type KeyEntry,
  type OwnerRecord,
  readKeyEntry,
  readOwnerRecord,
} from '../shared/owner-record.ts';
import { type Allowance, rateLimit, rateLimitPolicy } from '../shared/rate-limit-fields.ts';
import { newestWindow, type WindowName, type WindowUses, windowUses } from '../shared/windows.ts';

/** Whether a request is admitted, and what its response says about limits. Times: Unix seconds. */
export interface Decision {
  ownerId: string;
  keyId: string;
  plan: string;
  limit: number;
  remaining: number;
  reset: number;
  /** The values of the headers `RateLimit-Policy` and `RateLimit`, which describe both windows. */
  rateLimitPolicy: string;
  rateLimit: string;
  /** Whole seconds, at least 1, after which a request can succeed. */
  retryAfterSeconds: number;
  /** Present if the request is rejected. */
  rejection?: { code: RejectionCode; message: string };
  /** True if this request's write began the ban. */
  isBanStart?: boolean;
}

export type RejectionCode = 'rate_limit_exceeded' | 'quota_exceeded' | 'api_key_banned';

/** The state of a key and of its owner, as one version of their item has it. */
export interface KeyState {
  owner: OwnerRecord;
  key: KeyEntry;
}

/** The time at which a key's state is evaluated. */
export interface RequestTime {
  nowMs: number;
  nowSeconds: number;
  /** A ban that ends later is void: no clock within the tolerance can have begun it. */
  latestBan: number;
}

/** What a key's state means for a request at a given time. */
export interface KeyStatus extends WindowUses {
  /** False for an expired key and for every key of a suspended owner, which are answered 401. */
  isUsable: boolean;
  isBanned: boolean;
  /** True if the ban ends after `latestBan`; such a ban is not applied. */
  isBanVoid: boolean;
  /** Whether a window has no requests left. */
  isFull: boolean;
}

/** Reads a key's state from an item; undefined if the item has no such key, as when revoked. */
export function readKeyState(item: Item, tokenHash: string): KeyState | undefined {
  const key = readKeyEntry(item, tokenHash);
  return key && { owner: readOwnerRecord(item), key };
}

/** @param longestBanSeconds the longest ban of any plan */
export function requestTimeAt(nowMs: number, longestBanSeconds: number): RequestTime {
  const nowSeconds = Math.floor(nowMs / 1_000);
  return { nowMs, nowSeconds, latestBan: newestWindow(nowSeconds) + longestBanSeconds };
}

export function keyStatus({ owner, key }: KeyState, time: RequestTime): KeyStatus {
  const { nowSeconds, latestBan } = time;
  const { minute, day } = windowUses(owner, nowSeconds);
  const isBanVoid = key.bannedUntil > latestBan;
  return {
    minute,
    day,
    isBanVoid,
    isUsable: owner.isActive && (key.expiresAt === undefined || key.expiresAt > nowSeconds),
    isBanned: key.bannedUntil > nowSeconds && !isBanVoid,
    isFull: minute.remaining === 0 || day.remaining === 0,
  };
}

/** The decision to admit a request. @param state after the request was counted */
export function admission(state: KeyState, time: RequestTime): Decision {
  const { minute, day } = keyStatus(state, time);
  const windows = { minute, day };
  const name = tightestWindow(windows);
  return describe(state, windows, name, windows[name].reset, time);
}

/** The decision to reject a request, with the reason and the time from which one can succeed. */
export function rejection(state: KeyState, time: RequestTime): Decision {
  const { minute, day, isBanned } = keyStatus(state, time);
  const full = [minute, day].filter(({ remaining }) => remaining === 0);
  const ends = [...full.map(({ reset }) => reset), isBanned ? state.key.bannedUntil : 0];
  const retryAt = Math.max(...ends);
  // Until a ban is over, nothing is left of either window.
  const exhausted = (window: Allowance) => ({ ...window, remaining: 0, reset: retryAt });
  const windows = isBanned ? { minute: exhausted(minute), day: exhausted(day) } : { minute, day };
  const decision = describe(state, windows, tightestWindow({ minute, day }), retryAt, time);
  const wait = `Retry after ${decision.retryAfterSeconds} seconds.`;

  if (isBanned) {
    const message = `This API key is banned for a while because it kept exceeding its limits. ${wait}`;
    return { ...decision, rejection: { code: 'api_key_banned', message } };
  }
  if (day.remaining === 0) {
    const message = `The limit of ${day.limit} requests per day is used up. ${wait}`;
    return { ...decision, rejection: { code: 'quota_exceeded', message } };
  }
  const message = `The limit of ${minute.limit} requests per minute is used up. ${wait}`;
  return { ...decision, rejection: { code: 'rate_limit_exceeded', message } };
}

/** The window with the fewest requests left; the minute on a tie. */
function tightestWindow({ minute, day }: Record<WindowName, Allowance>): WindowName {
  return day.remaining < minute.remaining ? 'day' : 'minute';
}

function describe(
  { owner, key }: KeyState,
  windows: Record<WindowName, Allowance>,
  name: WindowName,
  retryAt: number,
  { nowMs }: RequestTime,
): Decision {
  const { limit, remaining, reset } = windows[name];
  return {
    ownerId: owner.ownerId,
    keyId: key.keyId,
    plan: owner.plan,
    limit,
    remaining,
    reset,
    rateLimitPolicy: rateLimitPolicy(windows),
    rateLimit: rateLimit(windows, nowMs),
    retryAfterSeconds: Math.max(1, Math.ceil(retryAt - nowMs / 1_000)),
  };
}
