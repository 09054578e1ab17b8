import { keyIdOf } from '../../../lambdas/keys/owner-record.ts';
import { currentTimes, isCurrent } from '../../../lambdas/keys/windows.ts';
import { InvalidValueError } from '../../shared/errors.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { refuseToken } from './checked-text.ts';
import { StoreError } from './errors.ts';
import { isKeyId, ownerIdOf } from './identities.ts';
import { readOwner } from './owners.ts';
import type { KeyDetails, StoredEntry, StoredOwner } from './stored-owner.ts';

/** Everything that is stored about a key. */
export interface StoredKey {
  readonly keyId: string;
  readonly owner: StoredOwner;
  /** The name of the key's entry in the map `keys` of its owner's item. */
  readonly tokenHash: string;
  readonly details: KeyDetails;
  /** Undefined if the key is revoked, or has expired and left its owner's item. */
  readonly entry: StoredEntry | undefined;
}

/** Finds a key by its id. @throws OperatorError if the id is malformed, or there is no such key */
export async function findKey(keyId: string, stage: KeyStage): Promise<StoredKey> {
  refuseMalformed(keyId);
  const owner = await readOwner(ownerIdOf(keyId), stage);
  const key = owner && keysOf(owner).find((each) => each.keyId === keyId);
  if (key) return key;
  throw new StoreError('keyNotFound', `No key has the id ${keyId}`, owner?.details);
}

/**
 * Lists all keys of an owner. If only one of the tables was restored to an earlier time, a key can be valid although its
 * details are lost.
 */
export function keysOf(owner: StoredOwner): StoredKey[] {
  const { ownerId, keys } = owner.details;
  const entries = Object.entries(owner.item.keys);
  const lost = entries.map(([tokenHash, { id }]): [string, KeyDetails] => [
    keyIdOf(ownerId, id),
    { tokenHash, lastFour: '????', createdAt: 'unknown' },
  ]);
  return Object.entries({ ...Object.fromEntries(lost), ...keys }).map(([keyId, details]) => {
    const { tokenHash } = details;
    return { keyId, owner, tokenHash, details, entry: owner.item.keys[tokenHash] };
  });
}

/** The key that has replaced a key, unless this replacement was revoked. */
export function replacementOf({ keyId, owner }: StoredKey): StoredKey | undefined {
  return keysOf(owner).find(({ details, entry }) => entry && details.replaces === keyId);
}

/** @throws OperatorError if a text does not have the form of a key id; the message contains no token */
export function refuseMalformed(keyId: string): void {
  if (isKeyId(keyId)) return;
  refuseToken('key id', keyId);
  throw new InvalidValueError('key id', keyId, '"key_" and 32 characters');
}

/** The statuses of a key. `suspended`: its owner is suspended. */
export const keyStatuses = ['active', 'banned', 'suspended', 'expired', 'revoked'] as const;

/** The present status of a key. */
export function statusOf(key: StoredKey, stage: KeyStage): (typeof keyStatuses)[number] {
  const { owner, entry } = key;
  if (!entry || isExpired(entry, stage)) return endOf(key);
  if (owner.item.status !== 'active') return 'suspended';
  return isBanned(entry, stage) ? 'banned' : 'active';
}

/** Why a key has ended. Its entry must be absent or expired. */
export function endOf({ entry, details }: StoredKey): 'expired' | 'revoked' {
  if (entry) return 'expired';
  return details.expiresAt === undefined ? 'revoked' : 'expired';
}

/**
 * The entry of a key.
 *
 * @param change the participle of a command, such as `rotated`
 * @throws StoreError if the key is expired or revoked
 */
export function validEntry(key: StoredKey, change: string, stage: KeyStage): StoredEntry {
  if (key.entry && !isExpired(key.entry, stage)) return key.entry;
  const problem = `${key.keyId} is ${endOf(key)} and cannot be ${change}`;
  throw new StoreError('keyEnded', problem, key);
}

/** Whether a key is expired. Like the authorizer, it counts the second of the expiry as expired. */
export function isExpired({ expiresAt }: StoredEntry, { now }: KeyStage): boolean {
  return expiresAt !== undefined && expiresAt <= Math.floor(now() / 1_000);
}

/** Whether a key is banned. Like the authorizer, it ignores a ban that is longer than the longest ban of the plans. */
export function isBanned({ bannedUntil = 0 }: StoredEntry, { now, plans }: KeyStage): boolean {
  return isCurrent(bannedUntil, currentTimes(Math.floor(now() / 1_000), plans).ban);
}
