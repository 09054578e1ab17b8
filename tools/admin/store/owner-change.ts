import { ChangedMeanwhileError, quoted } from '../../shared/errors.ts';
import {
  absent,
  changeTogether,
  expressions,
  type Update,
  unchanged,
} from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { StoreError } from './errors.ts';
import { type Deed, differences, historyKey, recordOf } from './history.ts';
import { lookUpOwner, nameReservation } from './owners.ts';
import type { OwnerDetails, OwnerItem, StoredOwner } from './stored-owner.ts';

/**
 * The number of changes that a history keeps. The largest record, that of a new name, has 2 KB, and an item can have
 * 400 KB.
 */
const keptRecords = 180;

/**
 * Stores an owner as it should be. The change and its record are one transaction, so there is a record if, and only if,
 * something has changed. Writes nothing if nothing would differ.
 *
 * @param before the owner as it was read; undefined for a new owner
 * @throws StoreError if another owner has the name
 * @throws ChangedMeanwhileError if another command has changed the owner since it was read, or if a key that is changed
 * or replaced was banned in this time
 */
export async function saveOwner(
  before: StoredOwner | undefined,
  after: StoredOwner,
  deed: Deed,
  stage: KeyStage,
): Promise<void> {
  const { ownerId, ...details } = after.details;
  const { name } = details;
  const changes = { ...differences(recorded(before), recorded(after)), ...deed.changes };
  const holder = name === before?.details.name ? undefined : await lookUpOwner(name, stage);
  if (holder && holder.details.ownerId !== ownerId) throw nameTaken(holder);
  const item = updateOf(before?.item, after.item);
  const isItemChanged = Object.keys(item.set).length > 0;
  if (!isItemChanged && name === before?.details.name) return;
  const revision = (details.revision ?? 0) + 1;
  const where = { revision: unchanged(before?.details.revision) };
  const record = recordOf({ ...deed, changes }, stage);
  const history = { [revision]: record, [revision - keptRecords]: undefined };
  const parts = [
    ...(isItemChanged ? [{ Update: inApiKeys(after, item, stage) }] : []),
    { Update: inOwners(ownerId, { set: { ...details, revision }, where }, stage) },
    ...namesMoved(before?.details.name, after.details, stage),
    { Update: inOwners(historyKey(ownerId), { set: history }, stage) },
  ];
  if (!(await changeTogether(parts, stage))) throw changedMeanwhile(before ?? after);
}

/**
 * Deletes everything that is stored about an owner, except for the record of the deletion.
 *
 * @throws ChangedMeanwhileError if another command has changed the owner since it was read
 */
export async function removeOwner(owner: StoredOwner, stage: KeyStage): Promise<void> {
  const { ownerId, name, revision } = owner.details;
  const record = recordOf({ command: 'owners delete' }, stage);
  const parts = [
    { Delete: inApiKeys(owner, {}, stage) },
    { Delete: inOwners(ownerId, { where: { revision: unchanged(revision) } }, stage) },
    { Delete: inOwners(nameReservation(name), {}, stage) },
    { Put: { TableName: stage.ownersTable, Item: { ownerId: historyKey(ownerId), 0: record } } },
  ];
  if (!(await changeTogether(parts, stage))) throw changedMeanwhile(owner);
}

function nameTaken({ details, item }: StoredOwner): StoreError {
  const { name, ownerId } = details;
  const problem = `There is already an owner ${quoted(name)}, ${ownerId}, on the ${item.plan} plan`;
  return new StoreError('nameTaken', problem, details);
}

const changedMeanwhile = ({ details: { name } }: StoredOwner) =>
  new ChangedMeanwhileError(`The owner ${quoted(name)}`);

/** The values of an owner that a history records, compared with those of a new owner. */
function recorded(owner: StoredOwner | undefined) {
  if (!owner) return { status: 'active', minuteCount: 0, dayCount: 0 };
  const { plan, perMinute, perDay, status, minuteCount, dayCount } = owner.item;
  return { name: owner.details.name, plan, perMinute, perDay, status, minuteCount, dayCount };
}

/** Moves the reservation of an owner's name. An owner always has exactly one reservation. */
function namesMoved(
  before: string | undefined,
  { ownerId: owner, name }: OwnerDetails,
  stage: KeyStage,
) {
  const [old, reservation] = [before && nameReservation(before), nameReservation(name)];
  // Names that differ only in case have the same reservation.
  if (old === reservation) return [];
  const where = { ownerId: absent };
  return [
    { Update: inOwners(reservation, { set: { owner }, where }, stage) },
    ...(old ? [{ Delete: inOwners(old, {}, stage) }] : []),
  ];
}

/**
 * The change of an owner's item. The authorizer changes counters, and the bans and the last uses of keys, at the same
 * time, so only the values that differ are written.
 */
function updateOf(before: OwnerItem | undefined, after: OwnerItem): Update & { set: object } {
  if (!before) return { set: { ...after } };
  const { keys: old, ...oldValues } = before;
  const { keys, ...values } = after;
  const touched = Object.keys({ ...old, ...keys }).filter((hash) => old[hash] !== keys[hash]);
  const entries = touched.map((hash) =>
    old[hash] && keys[hash]
      ? differing(old[hash], keys[hash], `keys.${hash}.`)
      : { [`keys.${hash}`]: keys[hash] },
  );
  // A key that replaces another inherits its ban. The mere end of a key does not depend on its ban.
  const hasNew = touched.some((hash) => !old[hash]);
  const sameBans = touched
    .filter((hash) => hasNew || keys[hash])
    .map((hash) => [`keys.${hash}.bannedUntil`, unchanged(old[hash]?.bannedUntil)]);
  return {
    set: Object.assign(differing(oldValues, values), ...entries),
    where: Object.fromEntries(sameBans),
  };
}

/** The new values that differ, by their paths. Undefined removes a value. */
function differing(before: object, after: object, path = ''): Record<string, unknown> {
  const [old, values] = [before, after] as Record<string, unknown>[];
  const names = Object.keys({ ...old, ...values }).filter((name) => old![name] !== values![name]);
  return Object.fromEntries(names.map((name) => [path + name, values![name]]));
}

/** The part of a transaction that concerns an owner's item in the ApiKeys table. */
function inApiKeys({ details }: StoredOwner, update: Update, { apiKeysTable }: KeyStage) {
  const { ownerHash } = details;
  return expressions({ table: apiKeysTable, key: { ownerHash }, ...update });
}

/** The part of a transaction that concerns an item of the Owners table. */
function inOwners(ownerId: string, update: Update, { ownersTable }: KeyStage) {
  return expressions({ table: ownersTable, key: { ownerId }, ...update });
}
