import { quoted } from '../../shared/errors.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { mayHaveTakenEffect, problemOf } from '../stage/service-failure.ts';
import { StoreError } from './errors.ts';
import { differences, isoTime } from './history.ts';
import { isExpired, keysOf, type StoredKey } from './keys.ts';
import { saveOwner } from './owner-change.ts';
import type { KeyDetails } from './stored-owner.ts';

/**
 * The maximum number of an owner's keys. Every request writes the owner's item with all of these keys, which costs one
 * write unit for each kilobyte, or for about five keys.
 */
const maxKeys = 100;

/** The number of days for which a key is listed after its end. */
const listedDays = 90;

/**
 * Stores keys of an owner as they should be, and removes dead ones. The entries of revoked and of expired keys leave
 * the owner's item, because every request writes this item. The details of keys that ended 90 days ago are forgotten.
 * Writes nothing if nothing would differ.
 *
 * @param changed a new, changed or revoked key, whose changes the history records; or an old key and its replacement
 * @throws StoreError if the owner would have too many keys, or if there is a new key and the response was lost
 * @throws ChangedMeanwhileError if another command has changed the owner since it was read, or a ban begins
 */
export async function saveKeys(
  command: string,
  changed: readonly [StoredKey, ...StoredKey[]],
  stage: KeyStage,
): Promise<void> {
  const [first] = changed;
  const { owner } = first;
  const before = byId(keysOf(owner));
  const added = changed.find(({ keyId }) => !before.has(keyId));
  const oldestMs = stage.now() - listedDays * 86_400_000;
  const keys = [...new Map([...before, ...byId(changed)]).values()]
    .map((key) => withoutDeadEntry(key, stage))
    .filter(({ entry, details }) => entry || endMs(details) >= oldestMs);
  const entries = keys.flatMap(({ tokenHash, entry }) =>
    entry ? [[tokenHash, entry] as const] : [],
  );
  if (added && entries.length > maxKeys) {
    const problem = `The owner ${quoted(owner.details.name)} has ${maxKeys} keys, and ${maxKeys} is the maximum`;
    throw new StoreError('tooManyKeys', problem, owner.details);
  }
  const known = keys.map(({ keyId, details }) => [keyId, details] as const);
  const after = {
    details: { ...owner.details, keys: Object.fromEntries(known) },
    item: { ...owner.item, keys: Object.fromEntries(entries) },
  };
  const keyIds = changed.map(({ keyId }) => keyId);
  const changes = differences(recorded(before.get(first.keyId)), recorded(first));
  await saveOwner(owner, after, { command, keyIds, changes }, stage).catch((error) => {
    throw added && mayHaveTakenEffect(error) ? unconfirmed(added, error) : error;
  });
}

/** A key that is revoked now. Its entry leaves the owner's item when the key is saved. */
export function revoked(key: StoredKey, { now }: KeyStage): StoredKey {
  return { ...key, details: { ...key.details, revokedAt: new Date(now()).toISOString() } };
}

const byId = (keys: readonly StoredKey[]) => new Map(keys.map((key) => [key.keyId, key]));

/** If a key has ended, its entry leaves the owner's item, and the entry's times are copied into the key's details. */
function withoutDeadEntry(key: StoredKey, stage: KeyStage): StoredKey {
  const { entry, details } = key;
  if (!entry || !(details.revokedAt || isExpired(entry, stage))) return key;
  const { expiresAt, usedAt } = entry;
  const end = details.revokedAt ? {} : { expiresAt };
  return { ...key, entry: undefined, details: { ...details, ...end, usedAt } };
}

function unconfirmed(added: StoredKey, cause: unknown): StoreError {
  const problem = `${added.keyId} may have been issued: ${problemOf(cause)}`;
  return new StoreError('keyUnconfirmed', problem, added, cause);
}

/** The values of a key that a history records, compared with those of a new key. */
function recorded(key: StoredKey | undefined) {
  if (!key) return { status: 'valid' };
  const { revokedAt, label } = key.details;
  const { expiresAt, bannedUntil, rejectionCount, isReadOnly } = key.entry!;
  const [expiry, ban] = [expiresAt, bannedUntil].map((time) => time && isoTime(time));
  const status = revokedAt ? 'revoked' : 'valid';
  return { status, label, expiresAt: expiry, bannedUntil: ban, rejectionCount, isReadOnly };
}

/** The end of a key whose entry has left the owner's item, in milliseconds since the epoch. */
function endMs({ revokedAt, expiresAt = Infinity }: KeyDetails): number {
  return revokedAt ? Date.parse(revokedAt) : expiresAt * 1_000;
}
