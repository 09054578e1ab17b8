import type { KeyEntry } from '../../lambdas/shared/owner-record.ts';
import { newestWindow, windowStarts } from '../../lambdas/shared/windows.ts';
import { plans } from '../../lib/settings/plans.ts';
import { isoTime, type Usage, usageOf } from '../owners/owner-description.ts';
import type { StoredKey } from './find-key.ts';

/**
 * What can be said of a key in a word. `suspended` is its owner; `unfinished` is a key whose issue
 * or revocation was interrupted: it is not valid, and "keys revoke" completes its end.
 */
export const keyStatuses = [
  'active',
  'banned',
  'suspended',
  'expired',
  'revoked',
  'unfinished',
] as const;

export type KeyStatus = (typeof keyStatuses)[number];

/** What an operator is told of a key in a list. Times are ISO 8601, or null where there is none. */
export interface KeySummary {
  keyId: string;
  owner: string;
  ownerId: string;
  label: string | null;
  /** The last four characters of the token. */
  lastFour: string | null;
  /** Null, as are the limits, where the owner was created in part only. */
  plan: string | null;
  status: KeyStatus;
  perMinute: number | null;
  perDay: number | null;
  createdAt: string | null;
  expiresAt: string | null;
  /** The end of the present ban. */
  bannedUntil: string | null;
  /** The minute in which a request of the key was last admitted. */
  lastUsedAt: string | null;
}

/** All that an operator is told of one key. */
export interface KeyDescription extends KeySummary {
  /** Of all keys of the owner together. */
  usage: Usage | null;
  /** Requests of this key refused for a limit, in the present minute. */
  rejectionsThisMinute: number;
  revokedAt: string | null;
  /** The key ids before and after this one in a rotation. */
  replaces: string | null;
  replacedBy: string | null;
}

/** A key as it stands at a moment: its counters may be those of a window that is over. */
export function describeKey(key: StoredKey, nowMs: number): KeyDescription {
  const { owner, details, entry } = key;
  return {
    ...summarizeKey(key, nowMs),
    usage: owner.item ? usageOf(owner.item, nowMs) : null,
    rejectionsThisMinute: entry ? rejectionsNow(entry, nowMs) : 0,
    revokedAt: details?.revokedAt ?? null,
    replaces: details?.replaces ?? null,
    replacedBy: details?.replacedBy ?? null,
  };
}

export function summarizeKey(key: StoredKey, nowMs: number): KeySummary {
  const { keyId, owner, details, entry } = key;
  return {
    keyId,
    owner: owner.details.name,
    ownerId: owner.details.ownerId,
    label: details?.label ?? null,
    lastFour: details?.lastFour ?? null,
    plan: owner.item?.plan ?? null,
    status: statusOf(key, nowMs),
    perMinute: owner.item?.perMinute ?? null,
    perDay: owner.item?.perDay ?? null,
    createdAt: details?.createdAt ?? null,
    expiresAt: timeOf(entry ? entry.expiresAt : details?.expiresAt),
    bannedUntil: entry && isBanned(entry, nowMs) ? timeOf(entry.bannedUntil) : null,
    lastUsedAt: timeOf(entry ? entry.usedAt : details?.usedAt),
  };
}

/** As the authorizer sees it: a ban that is longer than any can be is none. */
export function isBanned({ bannedUntil }: KeyEntry, nowMs: number): boolean {
  const nowSeconds = Math.floor(nowMs / 1_000);
  return bannedUntil > nowSeconds && bannedUntil <= newestWindow(nowSeconds) + longestBanSeconds;
}

const longestBanSeconds = Math.max(...Object.values(plans).map(({ banSeconds }) => banSeconds));

function statusOf({ owner, details, entry }: StoredKey, nowMs: number): KeyStatus {
  if (!entry) return details?.revokedAt === undefined ? 'unfinished' : 'revoked';
  // As the authorizer compares: in the second of the expiry, the key is refused.
  const isExpired = entry.expiresAt !== undefined && entry.expiresAt <= Math.floor(nowMs / 1_000);
  if (isExpired) return 'expired';
  if (!owner.item?.isActive) return 'suspended';
  return isBanned(entry, nowMs) ? 'banned' : 'active';
}

function rejectionsNow({ rejectionWindow, rejectionCount }: KeyEntry, nowMs: number): number {
  const nowSeconds = Math.floor(nowMs / 1_000);
  const { minute } = windowStarts(nowSeconds);
  const isNow = rejectionWindow >= minute && rejectionWindow <= newestWindow(nowSeconds);
  return isNow ? rejectionCount : 0;
}

/** Unix seconds, of which 0 is none. */
function timeOf(unixSeconds: number | undefined): string | null {
  return unixSeconds ? isoTime(unixSeconds) : null;
}
