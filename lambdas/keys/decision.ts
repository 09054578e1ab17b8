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
  /** The seconds after which a request can succeed: a whole number, at least 1. */
  retryAfterSeconds: number;
  /** Present if the request is rejected. */
  rejection?: { code: RejectionCode; message: string };
  /** True if this request's write began the ban. */
  isBanStart?: boolean;
}

type RejectionCode = Exclude<RejectionReason, 'unauthorized'>;

/** A key's entry and its owner's record, from one version of the owner's item. */
export interface KeySnapshot {
  owner: OwnerRecord;
  entry: KeyEntry;
}

/** A key at a given time, with its owner's windows. */
export interface EvaluatedKey extends KeySnapshot {
  times: CurrentTimes;
  /** The numbers of the owner's plan. */
  plan: Plan;
  windows: WindowUses;
  /**
   * The first of these states that applies. `unusable`: the key has expired, or its owner is suspended, so the request
   * gets 401. `full`: a window has no requests left. `open`: the request can be admitted.
   */
  state: 'unusable' | 'banned' | 'full' | 'open';
  /** The key's rejections in this minute; undefined if its counter belongs to another minute. */
  rejections: number | undefined;
}

/** Reads a key from an item; undefined if the item has no such key, for example because it was revoked. */
export function readKey(item: Item, tokenHash: string): KeySnapshot | undefined {
  const entry = readKeyEntry(item, tokenHash);
  return entry && { owner: readOwnerRecord(item), entry };
}

/** Evaluates a key at a given time, by the numbers of its owner's plan. */
export function evaluateKey(key: KeySnapshot, plan: Plan, times: CurrentTimes): EvaluatedKey {
  const { owner, entry } = key;
  const windows = windowUses(owner, limitsOf(owner, plan), times);
  const isOfThisMinute = isCurrent(entry.rejectionWindow, times.minute);
  return {
    ...key,
    times,
    plan,
    windows,
    state: stateOf(key, windows, times),
    rejections: isOfThisMinute ? entry.rejectionCount : undefined,
  };
}

function stateOf(
  { owner, entry: { expiresAt, bannedUntil } }: KeySnapshot,
  windows: WindowUses,
  times: CurrentTimes,
): EvaluatedKey['state'] {
  const isExpired = expiresAt !== undefined && expiresAt <= times.nowSeconds;
  if (!owner.isActive || isExpired) return 'unusable';
  if (isCurrent(bannedUntil, times.ban)) return 'banned';
  return Object.values(windows).some(isFull) ? 'full' : 'open';
}

/**
 * Admits a request that was counted. Its `Retry-After` is for API Gateway, whose quota of the day may still reject it.
 *
 * @param responseMs the time of the response in Unix milliseconds, from which the headers' seconds are counted
 */
export function admit(key: EvaluatedKey, responseMs: number): Decision {
  const { windows } = key;
  return decisionWith(windows, windows.day.reset, key, responseMs);
}

/**
 * Rejects a request, with the reason and the time at which a request can succeed.
 *
 * @param responseMs as in `admit`
 */
export function reject(key: EvaluatedKey, responseMs: number): Decision {
  const windows = key.state === 'banned' ? untilBanEnds(key) : key.windows;
  const ends = Object.values(windows)
    .filter(isFull)
    .map(({ reset }) => reset);
  const decision = decisionWith(windows, Math.max(...ends), key, responseMs);
  const [code, limit] = reasonOf(key);
  const message = rejections[code].message
    .replace('{limit}', String(limit))
    .replace('{retryAfter}', String(decision.retryAfterSeconds));
  return { ...decision, rejection: { code, message } };
}

/** The windows for the headers of a banned key. Its minute has no requests left until the ban ends. */
function untilBanEnds({ windows: { minute, day }, entry }: EvaluatedKey): Allowances {
  const reset = isFull(minute) ? Math.max(minute.reset, entry.bannedUntil) : entry.bannedUntil;
  return { minute: { ...minute, remaining: 0, reset }, day };
}

function isFull({ remaining }: Allowances[keyof Allowances]): boolean {
  return remaining === 0;
}

/** The code of a rejection, and the limit that its message names. */
function reasonOf({ windows: { minute, day }, state }: EvaluatedKey): [RejectionCode, number?] {
  if (state === 'banned') return ['api_key_banned'];
  return isFull(day) ? ['quota_exceeded', day.limit] : ['rate_limit_exceeded', minute.limit];
}

/** @param retryAt the time from which a request can succeed, in Unix seconds */
function decisionWith(
  allowances: Allowances,
  retryAt: number,
  { owner, entry }: EvaluatedKey,
  responseMs: number,
): Decision {
  const { minute, day } = allowances;
  // The headers `X-RateLimit-…` describe only one window, which is the window with fewer requests left.
  const { limit, remaining, reset } = day.remaining < minute.remaining ? day : minute;
  return {
    ownerId: owner.ownerId,
    keyId: entry.keyId,
    plan: owner.plan,
    ...(entry.isReadOnly && { isReadOnly: true }),
    limit,
    remaining,
    reset,
    rateLimitPolicy: rateLimitPolicy(allowances),
    rateLimit: rateLimit(allowances, responseMs),
    retryAfterSeconds: Math.max(1, Math.ceil(retryAt - responseMs / 1_000)),
  };
}
