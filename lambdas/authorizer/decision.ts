import type { Item } from '../shared/dynamodb.ts';
import { type Allowances, rateLimit, rateLimitPolicy } from '../shared/headers.ts';
import type { RejectionReason } from '../shared/metric-definitions.ts';
import {
  type KeyEntry,
  type OwnerRecord,
  readKeyEntry,
  readOwnerRecord,
} from '../shared/owner-record.ts';
import { isCounting, type WindowUses, windowUses } from '../shared/windows.ts';

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

type RejectionCode = Exclude<RejectionReason, 'unauthorized'>;

/** The state of a key and of its owner, as one version of their item has it. */
export interface KeyState {
  owner: OwnerRecord;
  key: KeyEntry;
}

/** The time at which a key's state is evaluated. */
export interface RequestTime {
  nowSeconds: number;
  /** A ban that ends later is void: no clock within the tolerance can have begun it. */
  latestBan: number;
}

/** A key's state, and what it means for a request at a given time. */
export interface KeyStatus extends KeyState {
  time: RequestTime;
  windows: WindowUses;
  /** Whether a window has no requests left. */
  isFull: boolean;
  /** False for an expired key and for every key of a suspended owner, which are answered 401. */
  isUsable: boolean;
  isBanned: boolean;
  /** True if the ban ends after `latestBan`; such a ban is not applied. */
  isBanVoid: boolean;
  /** The key's rejections in this minute; undefined if its counter is that of another minute. */
  rejections: number | undefined;
}

/** Reads a key's state from an item; undefined if the item has no such key, as when revoked. */
export function readKeyState(item: Item, tokenHash: string): KeyState | undefined {
  const key = readKeyEntry(item, tokenHash);
  return key && { owner: readOwnerRecord(item), key };
}

/** Evaluates a key's state at a given time. */
export function keyStatus({ owner, key }: KeyState, time: RequestTime): KeyStatus {
  const { nowSeconds, latestBan } = time;
  const windows = windowUses(owner, nowSeconds);
  const isBanVoid = key.bannedUntil > latestBan;
  const isOfThisMinute = isCounting('minute', key.rejectionWindow, nowSeconds);
  return {
    owner,
    key,
    time,
    windows,
    isFull: windows.minute.remaining === 0 || windows.day.remaining === 0,
    isUsable: owner.isActive && (key.expiresAt === undefined || key.expiresAt > nowSeconds),
    isBanned: key.bannedUntil > nowSeconds && !isBanVoid,
    isBanVoid,
    rejections: isOfThisMinute ? key.rejectionCount : undefined,
  };
}

/**
 * The decision to admit a request. Its time to retry is told where API Gateway refuses the request all
 * the same, because the usage plan's quota of the day is used up.
 *
 * @param status after the request was counted
 * @param nowMs from which the response counts the seconds that are left
 */
export function admission(status: KeyStatus, nowMs: number): Decision {
  const { windows } = status;
  return describe(status, windows, windows.day.reset, nowMs);
}

/** The decision to reject a request, with the reason and the time from which one can succeed. */
export function rejection(status: KeyStatus, nowMs: number): Decision {
  const { windows, key, isBanned } = status;
  const full = Object.values(windows).filter(({ remaining }) => remaining === 0);
  const ends = full.map(({ reset }) => reset);
  const retryAt = Math.max(...ends, isBanned ? key.bannedUntil : 0);
  // Until a ban is over, nothing is left of either window.
  const untilThen = { remaining: 0, reset: retryAt };
  const shown = {
    minute: { ...windows.minute, ...(isBanned && untilThen) },
    day: { ...windows.day, ...(isBanned && untilThen) },
  };
  const decision = describe(status, shown, retryAt, nowMs);
  const [code, reason] = reasonOf(status);
  const message = `${reason} Retry after ${decision.retryAfterSeconds} seconds.`;
  return { ...decision, rejection: { code, message } };
}

function reasonOf({ windows: { minute, day }, isBanned }: KeyStatus): [RejectionCode, string] {
  if (isBanned) {
    const reason = 'This API key is banned for a while because it kept exceeding its limits.';
    return ['api_key_banned', reason];
  }
  if (day.remaining === 0) {
    return ['quota_exceeded', `The limit of ${day.limit} requests per day is used up.`];
  }
  return ['rate_limit_exceeded', `The limit of ${minute.limit} requests per minute is used up.`];
}

/** The window with the fewest requests left; the minute on a tie. */
function tightestWindow({ minute, day }: Allowances): keyof Allowances {
  return day.remaining < minute.remaining ? 'day' : 'minute';
}

/** @param shown what the headers say of the windows */
function describe(
  { owner, key, windows }: KeyStatus,
  shown: Allowances,
  retryAt: number,
  nowMs: number,
): Decision {
  const { limit, remaining, reset } = shown[tightestWindow(windows)];
  return {
    ownerId: owner.ownerId,
    keyId: key.keyId,
    plan: owner.plan,
    limit,
    remaining,
    reset,
    rateLimitPolicy: rateLimitPolicy(shown),
    rateLimit: rateLimit(shown, nowMs),
    retryAfterSeconds: Math.max(1, Math.ceil(retryAt - nowMs / 1_000)),
  };
}
