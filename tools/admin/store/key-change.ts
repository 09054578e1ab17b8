import { quoted } from '../../shared/errors.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { mayHaveTakenEffect, problemOf } from '../stage/service-failure.ts';
import { StoreError } from './errors.ts';
import { differences, type HistoryRecord, isoTime } from './history.ts';
import { isExpired, keysOf, type StoredKey } from './keys.ts';
import { saveOwner } from './owner-change.ts';
import type { KeyDetails, StoredEntry, StoredOwner } from './stored-owner.ts';

/**
 * The maximum number of an owner's keys. Every request writes the owner's item with all of these keys, which costs one
 * write unit for each kilobyte, or for about five keys.
 */
const maxKeys = 100;

/** The number of days for which a key is listed after its end. */
const listedDays = 90;

/** A change of an owner's keys: a new key, the change or the end of a key, or both, if the new key replaces the old one. */
export interface KeysChange {
  readonly command: string;
  readonly added?: StoredKey;
  readonly old?: StoredKey;
  /** The new values of the old key's entry. Undefined removes a value. @default - the old key is revoked */
  readonly values?: Partial<StoredEntry> | undefined;
}

/**
 * Changes an owner's keys, and removes dead ones. The entries of revoked and of expired keys leave the owner's item,
 * because every request writes this item. The details of keys that ended 90 days ago are forgotten. Writes nothing if
 * the values of the old key would not differ.
 *
 * @throws StoreError if the owner would have too many keys, or if there is a new key and the response was lost
 * @throws ChangedMeanwhileError if another command has changed the owner since it was read, or a ban begins
 */
export async function changeKeys(
  owner: StoredOwner,
  change: KeysChange,
  stage: KeyStage,
): Promise<void> {
  const { command, added, old, values } = change;
  const changes = changesOf(change);
  if (values && Object.keys(changes).length === 0 && !added) return;
  const nowMs = stage.now();
  const isListed = ({ entry, details }: StoredKey) =>
    entry || endMs(details) >= nowMs - listedDays * 86_400_000;
  const kept = keysOf(owner)
    .map((key) => nextOf(key, change, stage))
    .filter(isListed);
  const keys = added ? [...kept, added] : kept;
  const entries = keys.flatMap(({ tokenHash, entry }) =>
    entry ? [[tokenHash, entry] as const] : [],
  );
  const known = keys.map(({ keyId, details }) => [keyId, details] as const);
  if (added && entries.length > maxKeys) {
    const problem = `The owner ${quoted(owner.details.name)} has ${maxKeys} keys, and ${maxKeys} is the maximum`;
    throw new StoreError('tooManyKeys', problem, owner.details);
  }
  const after = {
    details: { ...owner.details, keys: Object.fromEntries(known) },
    item: { ...owner.item, keys: Object.fromEntries(entries) },
  };
  const keyIds = [old, added].flatMap((key) => (key ? [key.keyId] : []));
  await saveOwner(owner, after, { command, keyIds, changes }, stage).catch((error) => {
    throw added && mayHaveTakenEffect(error) ? unconfirmed(added, error) : error;
  });
}

/** A key after a change. The values of an entry that leaves the item are copied into the key's details. */
function nextOf(key: StoredKey, { old, values }: KeysChange, stage: KeyStage): StoredKey {
  const { keyId, entry, details } = key;
  const isOld = keyId === old?.keyId;
  if (!entry || !(isOld || isExpired(entry, stage))) return key;
  if (isOld && values) return { ...key, entry: { ...entry, ...values } };
  const { expiresAt, usedAt } = entry;
  const end = isOld ? { revokedAt: new Date(stage.now()).toISOString() } : { expiresAt };
  return { ...key, entry: undefined, details: { ...details, ...end, usedAt } };
}

function unconfirmed(added: StoredKey, cause: unknown): StoreError {
  const problem = `${added.keyId} may have been issued: ${problemOf(cause)}`;
  return new StoreError('keyUnconfirmed', problem, added, cause);
}

/** The changes that the history records. */
function changesOf({ added, old, values }: KeysChange): HistoryRecord['changes'] & object {
  if (values) return differences(recorded(old!.entry!), recorded({ ...old!.entry!, ...values }));
  if (old) return differences({ status: 'valid' }, { status: 'revoked' });
  return differences({}, { label: added!.details.label, ...recorded(added!.entry!) });
}

function recorded({ expiresAt, bannedUntil, rejectionCount, isReadOnly }: StoredEntry) {
  const [expiry, ban] = [expiresAt, bannedUntil].map((time) => time && isoTime(time));
  return { expiresAt: expiry, bannedUntil: ban, rejectionCount, isReadOnly };
}

/** The end of a key whose entry has left the owner's item, in milliseconds since the epoch. */
function endMs({ revokedAt, expiresAt = Infinity }: KeyDetails): number {
  return revokedAt ? Date.parse(revokedAt) : expiresAt * 1_000;
}
