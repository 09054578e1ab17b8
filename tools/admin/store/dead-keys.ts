import { type Condition, present, type Update, unchanged } from '../stage/dynamodb-calls.ts';
import { isExpired, keysOf, type StoredKey } from './keys.ts';
import type { OwnerChange } from './owner-change.ts';
import type { StoredOwner } from './stored-owner.ts';

/** A key is listed for this number of days after its end. */
const listedDays = 90;

/** One change removes at most this number of keys, because DynamoDB limits the length of an expression. */
const mostLeaving = 50;

/** A change of an owner's keys, whose updates have a single condition each. */
interface KeysChange extends OwnerChange {
  readonly item: Update & { readonly where: Condition };
  readonly details?: (Update & { readonly where?: Condition }) | undefined;
}

/** The expired keys that an owner's next change of keys removes from the owner's item. */
export function leavingKeysOf(owner: StoredOwner, nowMs: number): StoredKey[] {
  return keysOf(owner)
    .filter(({ entry }) => entry && isExpired(entry, nowMs))
    .slice(0, mostLeaving);
}

/**
 * Adds the removal of dead keys to a change of an owner's keys. The entries of expired keys leave the owner's item,
 * because every request writes this item. The details of keys that ended 90 days ago are forgotten.
 */
export function withoutDeadKeys(
  owner: StoredOwner,
  change: KeysChange,
  nowMs: number,
): OwnerChange {
  const expired = leavingKeysOf(owner, nowMs);
  const forgotten = keysOf(owner)
    .filter((key) => !key.entry || expired.includes(key))
    .filter((key) => endMs(key) < nowMs - listedDays * 86_400_000)
    .slice(0, mostLeaving);
  const listed = expired.filter((key) => key.details && !forgotten.includes(key));
  const set = Object.assign({}, change.details?.set, ...listed.map(endOfEntry));
  const remove = forgotten.map(({ keyId }) => `keys.${keyId}`);
  const asRead = expired.map(({ tokenHash, entry }) => {
    return [`keys.${tokenHash}.expiresAt`, unchanged(entry!.expiresAt)] as const;
  });
  const isDetailed = Object.keys(set).length + remove.length > 0;
  return {
    ...change,
    item: {
      ...change.item,
      remove: [
        ...(change.item.remove ?? []),
        ...expired.map(({ tokenHash }) => `keys.${tokenHash}`),
      ],
      where: { ...change.item.where, ...Object.fromEntries(asRead) },
    },
    details: isDetailed
      ? { set, remove, where: { ownerId: present, ...change.details?.where } }
      : undefined,
  };
}

/** The attributes that an expired key's details take over from its entry. */
function endOfEntry({ keyId, entry }: StoredKey): Record<string, number | undefined> {
  const { expiresAt, usedAt } = entry!;
  const path = `keys.${keyId}`;
  return { [`${path}.expiresAt`]: expiresAt, ...(usedAt && { [`${path}.usedAt`]: usedAt }) };
}

/** The time at which a dead key ended, in milliseconds since the epoch. */
function endMs({ entry, details }: StoredKey): number {
  const { revokedAt, expiresAt } = details ?? {};
  if (entry) return (entry.expiresAt ?? Infinity) * 1_000;
  return revokedAt ? Date.parse(revokedAt) : (expiresAt ?? Infinity) * 1_000;
}
