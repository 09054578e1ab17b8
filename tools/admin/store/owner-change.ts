import { ChangedMeanwhileError } from '../../shared/errors.ts';
import {
  absent,
  changeTogether,
  expressions,
  present,
  type TransactionPart,
  type Update,
  unchanged,
} from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import {
  type Deed,
  differences,
  historyKey,
  namedRecords,
  signed,
  type Values,
} from './history.ts';
import { nameReservation, reservableFor } from './owners.ts';
import type { CompleteOwner, OwnerDetails, OwnerItem, StoredOwner } from './stored-owner.ts';

/** What a change writes to each table. */
interface Writes {
  /** The change of the owner's item in the ApiKeys table. */
  readonly item?: Update;
  /** The change of the owner's details in the Owners table. */
  readonly details?: Update | undefined;
  /** The new name of the owner. */
  readonly name?: string;
}

/**
 * The number of changes that a history keeps. The largest record, that of a new name, has 2 KB, and an item can have
 * 400 KB.
 */
const keptRecords = 180;

/** Each request changes these values. */
const counters = ['minuteCount', 'dayCount'];

/**
 * Changes values of an owner's item. Writes nothing if nothing would differ. Undefined removes a value.
 *
 * @throws ChangedMeanwhileError if another command has changed the same values
 */
export async function changeOwner(
  { details, item }: CompleteOwner,
  command: string,
  set: Partial<Omit<OwnerItem, 'keys'>>,
  stage: KeyStage,
): Promise<void> {
  const names = Object.keys(set) as (keyof typeof set)[];
  const before: Values = Object.fromEntries(names.map((name) => [name, item[name]]));
  const changes = differences(before, set);
  const required = Object.entries(before)
    .filter(([name]) => !counters.includes(name))
    .map(([name, value]) => [name, unchanged(value)]);
  const where = { ownerHash: present, ...Object.fromEntries(required) };
  if (Object.keys(changes).length === 0) return;
  await changeTables(details, { command, changes }, { item: { set, where } }, stage);
}

/**
 * Changes what is stored about an owner and its keys. The change and its record are one transaction, so there is a
 * record if, and only if, something has changed.
 *
 * @param what the owner or the key, for the message of the error
 * @throws ChangedMeanwhileError if a condition fails. Then nothing is changed
 */
export async function changeTables(
  owner: OwnerDetails,
  deed: Deed,
  { item, details, name }: Writes,
  stage: KeyStage,
  what = owner.ownerId,
): Promise<void> {
  const parts = [
    ...(item ? [{ Update: inApiKeys(owner, item, stage) }] : []),
    ...(details ? [{ Update: inOwners(owner.ownerId, details, stage) }] : []),
    ...(name === undefined ? [] : renaming(owner, name, stage)),
    await recording(owner, deed, stage),
  ];
  if (!(await changeTogether(parts, stage))) throw new ChangedMeanwhileError(what);
}

/**
 * Writes the details of an owner, and reserves its name. The history does not record this, because the owner has no
 * valid key before its item is written. Returns false if another owner has the name.
 */
export async function storeDetails(
  { ownerId, ...details }: OwnerDetails,
  stage: KeyStage,
): Promise<boolean> {
  const where = { ownerId: absent };
  const reservation = { set: { owner: ownerId }, where };
  const parts = [
    { Update: inOwners(ownerId, { set: details, where }, stage) },
    { Update: inOwners(nameReservation(details.name), reservation, stage) },
  ];
  return changeTogether(parts, stage);
}

/**
 * Deletes everything that is stored about an owner, except for the record of the deletion.
 *
 * @throws ChangedMeanwhileError if the owner was renamed, deleted or completed since it was read
 */
export async function removeOwner({ details, item }: StoredOwner, stage: KeyStage): Promise<void> {
  const { ownerId, name } = details;
  const [recordName, record] = signed({ command: 'owners delete' }, [], stage);
  const Item = { ownerId: historyKey(ownerId), [recordName]: record };
  const parts = [
    { Delete: inApiKeys(details, { where: { ownerHash: item ? present : absent } }, stage) },
    { Delete: inOwners(ownerId, { where: { name } }, stage) },
    { Delete: inOwners(nameReservation(name), { where: reservableFor(ownerId) }, stage) },
    { Put: { TableName: stage.ownersTable, Item } },
  ];
  if (!(await changeTogether(parts, stage))) throw new ChangedMeanwhileError(ownerId);
}

/** Changes an owner's name, and moves the reservation. An owner always has exactly one reservation. */
function renaming({ ownerId, name: oldName }: OwnerDetails, name: string, stage: KeyStage) {
  const [reservation, oldReservation] = [nameReservation(name), nameReservation(oldName)];
  const where = reservableFor(ownerId);
  return [
    { Update: inOwners(ownerId, { set: { name }, where: { name: oldName } }, stage) },
    { Update: inOwners(reservation, { set: { owner: ownerId }, where }, stage) },
    // Names that differ only in case have the same reservation, which must not be deleted.
    ...(reservation === oldReservation
      ? []
      : [{ Delete: inOwners(oldReservation, { where }, stage) }]),
  ];
}

async function recording(
  { ownerId }: OwnerDetails,
  deed: Deed,
  stage: KeyStage,
): Promise<TransactionPart> {
  const records = await namedRecords(ownerId, stage);
  const [name, record] = signed(deed, records, stage);
  const surplus = records.slice(0, 1 - keptRecords);
  const forgotten = Object.fromEntries(surplus.map(([old]) => [old, undefined]));
  const set = { [name]: record, ...forgotten };
  return { Update: inOwners(historyKey(ownerId), { set }, stage) };
}

/** The part of a transaction that concerns an owner's item in the ApiKeys table. */
function inApiKeys({ ownerHash }: OwnerDetails, update: Update, { apiKeysTable }: KeyStage) {
  return expressions({ table: apiKeysTable, key: { ownerHash }, ...update });
}

/** The part of a transaction that concerns an item of the Owners table. */
function inOwners(ownerId: string, update: Update, { ownersTable }: KeyStage) {
  return expressions({ table: ownersTable, key: { ownerId }, ...update });
}
