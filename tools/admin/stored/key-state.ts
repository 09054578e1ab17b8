import type { Plans } from '../../../lambdas/keys/plan.ts';
import { currentTimes, isCurrent } from '../../../lambdas/keys/windows.ts';
import { WrongStateError } from '../../shared/errors.ts';
import type { StoredKey } from './stored-key.ts';
import type { StoredEntry } from './stored-owner.ts';

/** The statuses of a key. `suspended`: its owner is suspended. */
export const keyStatuses = ['active', 'banned', 'suspended', 'expired', 'revoked'] as const;

/** The status of a key at a time, by the plans of the deployed version. */
export function statusOf(
  key: StoredKey,
  nowMs: number,
  plans: Plans,
): (typeof keyStatuses)[number] {
  const { owner, entry } = key;
  if (!entry || isExpired(entry, nowMs)) return endOf(key);
  if (owner.item?.status !== 'active') return 'suspended';
  return isBanned(entry, nowMs, plans) ? 'banned' : 'active';
}

/** Why a key has ended. Its entry must be absent or expired. */
export function endOf({ entry, details }: StoredKey): 'expired' | 'revoked' {
  if (entry) return 'expired';
  return details?.expiresAt === undefined ? 'revoked' : 'expired';
}

/**
 * The entry of a key.
 *
 * @param change the participle of a command, such as `rotated`
 * @throws WrongStateError if the key is expired or revoked
 */
export function validEntry(key: StoredKey, change: string, nowMs: number): StoredEntry {
  if (key.entry && !isExpired(key.entry, nowMs)) return key.entry;
  throw new WrongStateError(`${key.keyId} is ${endOf(key)} and cannot be ${change}`, {
    remedy: `"./admin keys issue --owner ${key.owner.details.ownerId}" issues another key`,
  });
}

/** Whether a key is expired. Like the authorizer, it counts the second of the expiry as expired. */
export function isExpired({ expiresAt }: StoredEntry, nowMs: number): boolean {
  return expiresAt !== undefined && expiresAt <= Math.floor(nowMs / 1_000);
}

/** Why a key is banned. */
export const banReason = 'because too many of its requests in a minute were above the limit';

/** Whether a key is banned. Like the authorizer, it ignores a ban longer than any plan's. */
export function isBanned({ bannedUntil = 0 }: StoredEntry, nowMs: number, plans: Plans): boolean {
  return isCurrent(bannedUntil, currentTimes(Math.floor(nowMs / 1_000), plans).ban);
}
