import type { KeyEntry } from '../../lambdas/shared/owner-record.ts';
import { newestWindow, windowStarts } from '../../lambdas/shared/windows.ts';
import { plans } from '../../lib/settings/plans.ts';
import { isoTime, type Usage, usageOf } from '../owners/owner-description.ts';
import type { StoredKey } from './find-key.ts';

/**
 * The statuses of a key. `suspended` means that its owner is suspended. `unfinished` means that its
 * issue or revocation was interrupted: the key is not valid, and "keys revoke" completes its
 * revocation.
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

/** A key in a list of keys. Times are in ISO 8601, or null when there is none. */
export interface KeySummary {
  keyId: string;
  owner: string;
  ownerId: string;
  label: string | null;
  /** The last four characters of the token. */
  lastFour: string | null;
  /** The plan is null, like the limits, when the creation of the owner was interrupted. */
  plan: string | null;
  status: KeyStatus;
  perMinute: number | null;
  perDay: number | null;
  createdAt: string | null;
  expiresAt: string | null;
  /** The end of the current ban. */
  bannedUntil: string | null;
  /** The minute in which a request of the key was last admitted. */
  lastUsedAt: string | null;
}

/** A key with everything that an operator can know about it. */
export interface KeyDescription extends KeySummary {
  /** The usage of all keys of the owner together. */
  usage: Usage | null;
  /** The requests of this key that were rejected for a limit in the current minute. */
  rejectionsThisMinute: number;
  revokedAt: string | null;
  /** The key ids before and after this one in a rotation. */
  replaces: string | null;
  replacedBy: string | null;
}

/** Describes a key at a time. Counters of a window that has ended count as 0. */
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

/** Describes a key for a list of keys. */
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

/** Whether a key is banned. Like the authorizer, it ignores a ban longer than any plan's. */
export function isBanned({ bannedUntil }: KeyEntry, nowMs: number): boolean {
  const nowSeconds = Math.floor(nowMs / 1_000);
  return bannedUntil > nowSeconds && bannedUntil <= newestWindow(nowSeconds) + longestBanSeconds;
}

const longestBanSeconds = Math.max(...Object.values(plans).map(({ banSeconds }) => banSeconds));

function statusOf({ owner, details, entry }: StoredKey, nowMs: number): KeyStatus {
  if (!entry) return details?.revokedAt === undefined ? 'unfinished' : 'revoked';
  // The authorizer compares the same way: it refuses the key from the second of its expiry on.
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

/** Converts Unix seconds, of which 0 means none. */
function timeOf(unixSeconds: number | undefined): string | null {
  return unixSeconds ? isoTime(unixSeconds) : null;
}
