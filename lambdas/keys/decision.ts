import { rejections } from '../contract/errors.ts';
import type { Item } from '../contract/item.ts';
import type { RejectionReason } from '../contract/metric-definitions.ts';
import { type KeyEntry, type OwnerRecord, readKeyEntry, readOwnerRecord } from './owner-record.ts';
import { limitsOf, type Plan } from './plan.ts';
import { type Allowances, rateLimit, rateLimitPolicy } from './rate-limit-headers.ts';
import { type CurrentTimes, isCurrent, type WindowUses, windowUses } from './windows.ts';

/** Whether a request is admitted, and the values of its response's rate-limit headers. Times are Unix seconds. */
export interface Decision {
  ownerId: string;
  keyId: string;
  plan: string;
  /** True if the key may only read; absent otherwise. */
  isReadOnly?: boolean;
  limit: number;
  remaining: number;
  reset: number;
  /** The values of the headers `RateLimit-Policy` and `RateLimit`, which describe both windows. */
  rateLimitPolicy: string;
  rateLimit: string;
  /** The whole seconds, at least 1, after which a request can succeed. */
  retryAfterSeconds: number;
  /** Present if the request is rejected. */
  rejection?: { code: RejectionCode; message: string };
  /** True if this request's write began the ban. */
  isBanStart?: boolean;
}

type RejectionCode = Exclude<RejectionReason, 'unauthorized'>;

/** The state of a key and of its owner, from one version of the owner's item. */
export interface KeyState {
  owner: OwnerRecord;
  key: KeyEntry;
}

/** A key's state, and its consequences for a request at a given time. */
export interface KeyStatus extends KeyState {
  times: CurrentTimes;
  /** The numbers of the owner's plan. */
  plan: Plan;
  windows: WindowUses;
  /** Whether a window has no requests left. */
  isFull: boolean;
  /** False for an expired key and for every key of a suspended owner: their requests get 401. */
  isUsable: boolean;
  isBanned: boolean;
  /** The key's rejections in this minute; undefined if its counter belongs to another minute. */
  rejections: number | undefined;
}

/** Reads a key's state from an item; undefined if the item has no such key, for example because it was revoked. */
export function readKeyState(item: Item, tokenHash: string): KeyState | undefined {
  const key = readKeyEntry(item, tokenHash);
  return key && { owner: readOwnerRecord(item), key };
}

/** Evaluates a key's state at a given time, by the numbers of its owner's plan. */
export function keyStatus({ owner, key }: KeyState, plan: Plan, times: CurrentTimes): KeyStatus {
  const windows = windowUses(owner, limitsOf(owner, plan), times);
  const isOfThisMinute = isCurrent(key.rejectionWindow, times.minute);
  return {
    owner,
    key,
    times,
    plan,
    windows,
    isFull: Object.values(windows).some(isFull),
    isUsable: owner.isActive && (key.expiresAt === undefined || key.expiresAt > times.nowSeconds),
    isBanned: isCurrent(key.bannedUntil, times.ban),
    rejections: isOfThisMinute ? key.rejectionCount : undefined,
  };
}

/**
 * Admits a request that was counted. Its `Retry-After` is for API Gateway, whose quota of the day may still reject it.
 *
 * @param responseMs the time of the response in Unix milliseconds, from which the headers' seconds are counted
 */
export function admit(status: KeyStatus, responseMs: number): Decision {
  const { windows } = status;
  return decisionWith(windows, windows.day.reset, status, responseMs);
}

/**
 * Rejects a request, with the reason and the time at which a request can succeed.
 *
 * @param responseMs as in `admit`
 */
export function reject(status: KeyStatus, responseMs: number): Decision {
  const windows = status.isBanned ? untilBanEnds(status) : status.windows;
  const ends = Object.values(windows)
    .filter(isFull)
    .map(({ reset }) => reset);
  const decision = decisionWith(windows, Math.max(...ends), status, responseMs);
  const [code, limit] = reasonOf(status);
  const message = rejections[code].message
    .replace('{limit}', String(limit))
    .replace('{retryAfter}', String(decision.retryAfterSeconds));
  return { ...decision, rejection: { code, message } };
}

/** The windows for the headers of a banned key. Its minute has no requests left until the ban ends. */
function untilBanEnds({ windows: { minute, day }, key }: KeyStatus): Allowances {
  const reset = isFull(minute) ? Math.max(minute.reset, key.bannedUntil) : key.bannedUntil;
  return { minute: { ...minute, remaining: 0, reset }, day };
}

function isFull({ remaining }: Allowances[keyof Allowances]): boolean {
  return remaining === 0;
}

/** The code of a rejection, and the limit that its message names. */
function reasonOf({ windows: { minute, day }, isBanned }: KeyStatus): [RejectionCode, number?] {
  if (isBanned) return ['api_key_banned'];
  return isFull(day) ? ['quota_exceeded', day.limit] : ['rate_limit_exceeded', minute.limit];
}

/** @param retryAt the time from which a request can succeed, in Unix seconds */
function decisionWith(
  allowances: Allowances,
  retryAt: number,
  { owner, key }: KeyStatus,
  responseMs: number,
): Decision {
  const { minute, day } = allowances;
  // The headers without a window's name describe the window with the fewest requests left.
  const { limit, remaining, reset } = day.remaining < minute.remaining ? day : minute;
  return {
    ownerId: owner.ownerId,
    keyId: key.keyId,
    plan: owner.plan,
    ...(key.isReadOnly && { isReadOnly: true }),
    limit,
    remaining,
    reset,
    rateLimitPolicy: rateLimitPolicy(allowances),
    rateLimit: rateLimit(allowances, responseMs),
    retryAfterSeconds: Math.max(1, Math.ceil(retryAt - responseMs / 1_000)),
  };
}
