import { quoted } from '../../shared/errors.ts';
import { type Condition, unchanged } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { mayHaveTakenEffect, problemOf } from '../stage/service-failure.ts';
import { StoreError } from './errors.ts';
import { differences, type HistoryRecord, isoTime } from './history.ts';
import { isExpired, keysOf, type StoredKey } from './keys.ts';
import { changeTables } from './owner-change.ts';
import type { KeyDetails, OwnerDetails, StoredEntry, StoredOwner } from './stored-owner.ts';

/**
 * The maximum number of an owner's keys. Every request writes the owner's item with all of these keys, which costs one
 * write unit for each kilobyte, or for about five keys.
 */
const maxKeys = 100;

/** The number of days for which a key is listed after its end. */
const listedDays = 90;

/** The number of keys that one change can remove, because DynamoDB limits the length of an expression. */
const mostLeaving = 50;

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
 * The transaction fails if the details of the keys have changed since they were read, so of two simultaneous rotations
 * the second one fails. It also fails if the ban or the expiry of a key that is changed or replaced has changed, so a
 * ban that begins at the same time is not lost.
 *
 * @throws StoreError if the owner would have too many keys, or if there is a new key and the response was lost
 * @throws ChangedMeanwhileError if another command has changed the keys
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
  const revoked = values ? undefined : old;
  const keys = keysOf(owner);
  const expired = keys
    .filter(({ keyId, entry }) => entry && isExpired(entry, nowMs) && keyId !== revoked?.keyId)
    .slice(0, mostLeaving);
  const leaving = revoked ? [...expired, revoked] : expired;
  const left = Object.keys(owner.item.keys).length - leaving.length;
  if (added && left >= maxKeys) throw tooManyKeys(owner.details, left);
  const isListed = ({ entry, details }: StoredKey) =>
    entry || endMs(details!) >= nowMs - listedDays * 86_400_000;
  const listed = [...keys.filter(isListed), ...(added ? [added] : [])];
  const details = {
    ...Object.fromEntries(listed.map((key) => [key.keyId, key.details])),
    ...Object.fromEntries(leaving.map((key) => [key.keyId, lastDetails(key, revoked, nowMs)])),
  };
  const writes = {
    item: {
      set: {
        ...(added && { [pathOf(added)]: added.entry }),
        ...(old && values && under(pathOf(old), values)),
        ...Object.fromEntries(leaving.map((key) => [pathOf(key), undefined])),
      },
      where: {
        ...(old && (values || added) && unchangedIn(old, 'bannedUntil', 'expiresAt')),
        ...Object.assign({}, ...expired.map((key) => unchangedIn(key, 'expiresAt'))),
      },
    },
    details: {
      set: { keys: details },
      where: { keys: unchanged(owner.details.keys) },
    },
  };
  const keyIds = [old, added].flatMap((key) => (key ? [key.keyId] : []));
  const deed = { command, keyIds, changes };
  await changeTables(owner.details, deed, writes, stage, old?.keyId).catch((error) => {
    throw added && mayHaveTakenEffect(error) ? unconfirmed(added, error) : error;
  });
}

function tooManyKeys(owner: OwnerDetails, keys: number): StoreError {
  const problem = `The owner ${quoted(owner.name)} has ${keys} keys, and ${keys} is the maximum`;
  return new StoreError('tooManyKeys', problem, owner);
}

function unconfirmed(added: StoredKey, cause: unknown): StoreError {
  const problem = `${added.keyId} may have been issued: ${problemOf(cause)}`;
  return new StoreError('keyUnconfirmed', problem, added, cause);
}

/** The changes that the history records. */
function changesOf({ added, old, values }: KeysChange): HistoryRecord['changes'] & object {
  if (values) return differences(recorded(old!.entry!), recorded({ ...old!.entry!, ...values }));
  if (old) return differences({ status: 'valid' }, { status: 'revoked' });
  return differences({}, { label: added!.details!.label, ...recorded(added!.entry!) });
}

function recorded({ expiresAt, bannedUntil, rejectionCount, isReadOnly }: StoredEntry) {
  const [expiry, ban] = [expiresAt, bannedUntil].map((time) => time && isoTime(time));
  return { expiresAt: expiry, bannedUntil: ban, rejectionCount, isReadOnly };
}

/** The path of a key's entry in its owner's item. */
function pathOf({ tokenHash }: StoredKey): string {
  return `keys.${tokenHash}`;
}

/** The condition that values of a key's entry are still as they were read. */
function unchangedIn(key: StoredKey, ...names: (keyof StoredEntry)[]): Condition {
  const tests = names.map((name) => [`${pathOf(key)}.${name}`, unchanged(key.entry![name])]);
  return Object.fromEntries(tests);
}

/** The details of a key whose entry leaves the item; undefined if the key has no details. */
function lastDetails(
  { keyId, entry, details }: StoredKey,
  revoked: StoredKey | undefined,
  nowMs: number,
) {
  const { expiresAt, usedAt } = entry!;
  const isRevoked = keyId === revoked?.keyId;
  const end = isRevoked ? { revokedAt: new Date(nowMs).toISOString() } : { expiresAt };
  return details && { ...details, ...end, usedAt };
}

/** The end of a key whose entry has left the owner's item, in milliseconds since the epoch. */
function endMs({ revokedAt, expiresAt = Infinity }: KeyDetails): number {
  return revokedAt ? Date.parse(revokedAt) : expiresAt * 1_000;
}

/** Prefixes the names of values with a path. */
function under(path: string, values: object): Record<string, unknown> {
  const named = Object.entries(values).map(([name, each]) => [`${path}.${name}`, each]);
  return Object.fromEntries(named);
}
