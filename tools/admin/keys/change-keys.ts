import { type Condition, present, type Update, unchanged } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { changeAndRecord, type HistoryRecord } from '../stored/history.ts';
import { isExpired } from '../stored/key-state.ts';
import { keysOf, type StoredKey } from '../stored/stored-key.ts';
import type { StoredOwner } from '../stored/stored-owner.ts';

/** A key is listed for this number of days after its end. */
const listedDays = 90;

/** One change removes at most this number of keys, because DynamoDB limits the length of an expression. */
const mostLeaving = 50;

/** A change of one of an owner's items, with a single condition. */
export type KeysUpdate = Omit<Update, 'where'> & { readonly where: Condition };

/** The keys that an owner's next change removes: expired keys from the item, and long dead keys from the details. */
export function leavingKeysOf(owner: StoredOwner, nowMs: number) {
  const keys = keysOf(owner);
  const expired = keys
    .filter(({ entry }) => entry && isExpired(entry, nowMs))
    .slice(0, mostLeaving);
  const forgotten = keys
    .filter((key) => !key.entry || expired.includes(key))
    .filter((key) => endMs(key) < nowMs - listedDays * 86_400_000)
    .slice(0, mostLeaving);
  return { expired, forgotten };
}

/**
 * Changes keys of an owner, and removes dead keys. It removes the entries of expired keys, because every request
 * writes the item that contains all entries. It removes the details of keys that ended 90 days ago.
 */
export async function changeKeys(
  owner: StoredOwner,
  deed: Pick<HistoryRecord, 'command' | 'keyIds' | 'changes'>,
  { ofItem, ofDetails }: { readonly ofItem: KeysUpdate; readonly ofDetails?: KeysUpdate },
  stage: KeyStage,
  refusal?: () => Error,
): Promise<void> {
  const { expired, forgotten } = leavingKeysOf(owner, stage.now());
  const asRead = expired.map(({ tokenHash, entry }) => {
    return [`keys.${tokenHash}.expiresAt`, unchanged(entry!.expiresAt)] as const;
  });
  const listed = expired.filter((key) => key.details && !forgotten.includes(key));
  const set = Object.assign({}, ofDetails?.set, ...listed.map(endOfEntry));
  const remove = forgotten.map(({ keyId }) => `keys.${keyId}`);
  const isChanged = Object.keys(set).length + remove.length > 0;
  const changes = {
    ofItem: {
      set: ofItem.set ?? {},
      remove: [...(ofItem.remove ?? []), ...expired.map(({ tokenHash }) => `keys.${tokenHash}`)],
      where: { ...ofItem.where, ...Object.fromEntries(asRead) },
    },
    ofDetails: isChanged
      ? { set, remove, where: { ownerId: present, ...ofDetails?.where } }
      : undefined,
  };
  await changeAndRecord(owner.details, deed, changes, stage, refusal);
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
