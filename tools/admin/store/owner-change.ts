import { ChangedMeanwhileError, quoted } from '../../shared/errors.ts';
import {
  absent,
  type Condition,
  changeTogether,
  expressions,
  present,
  type TransactionPart,
  type Update,
  unchanged,
} from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { nameTaken } from './errors.ts';
import {
  type Deed,
  differences,
  historyKey,
  namedRecords,
  signed,
  type Values,
} from './history.ts';
import { lookUpOwner, nameReservation } from './owners.ts';
import type { OwnerDetails, OwnerItem, StoredOwner } from './stored-owner.ts';

/** What a change writes. */
interface Writes {
  /** The change of the owner's item in the ApiKeys table. */
  readonly item?: Update;
  /** The change of the owner's details in the Owners table. */
  readonly details?: Update | undefined;
  /** The changes of the reservations of names. */
  readonly names?: readonly TransactionPart[];
}

/**
 * The number of changes that a history keeps. The largest record, that of a new name, has 2 KB, and an item can have
 * 400 KB.
 */
const keptRecords = 180;

/** Each request changes these values. */
const counters = ['minuteCount', 'dayCount'];

/**
 * Stores a new owner, and reserves its name.
 *
 * @throws StoreError if another owner has the name
 * @throws ChangedMeanwhileError if another command has reserved the name at the same time
 */
export async function storeOwner({ details, item }: StoredOwner, stage: KeyStage): Promise<void> {
  const { ownerId, name } = details;
  const holder = await lookUpOwner(name, stage);
  if (holder) throw nameTaken(holder);
  const { plan, perMinute, perDay } = item;
  const changes = differences({}, { name, plan, perMinute, perDay });
  const { ownerId: _id, ...otherDetails } = details;
  const writes = {
    item: { set: { ...item }, where: { ownerHash: absent } },
    details: { set: otherDetails, where: { ownerId: absent } },
    names: [reserved(name, ownerId, { ownerId: absent }, stage)],
  };
  const deed = { command: 'owners create', changes };
  await changeTables(details, deed, writes, stage, `The owner ${quoted(name)}`);
}

/**
 * Changes an owner's name, and moves the reservation. An owner always has exactly one reservation.
 *
 * @throws StoreError if another owner has the name
 */
export async function renameOwner(
  { details }: StoredOwner,
  name: string,
  stage: KeyStage,
): Promise<void> {
  const { ownerId, name: oldName } = details;
  if (name === oldName) return;
  const holder = await lookUpOwner(name, stage);
  if (holder && holder.details.ownerId !== ownerId) throw nameTaken(holder);
  // Names that differ only in case have the same reservation, which must not be deleted.
  const isMoved = nameReservation(name) !== nameReservation(oldName);
  const where = { owner: ownerId };
  const writes = {
    details: { set: { name }, where: { name: oldName } },
    names: isMoved
      ? [
          reserved(name, ownerId, { ownerId: absent }, stage),
          { Delete: inOwners(nameReservation(oldName), { where }, stage) },
        ]
      : [],
  };
  const deed = { command: 'owners rename', changes: differences({ name: oldName }, { name }) };
  await changeTables(details, deed, writes, stage);
}

/**
 * Changes values of an owner's item. Writes nothing if nothing would differ. Undefined removes a value.
 *
 * @throws ChangedMeanwhileError if another command has changed the same values
 */
export async function changeOwner(
  { details, item }: StoredOwner,
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
  { item, details, names = [] }: Writes,
  stage: KeyStage,
  what = owner.ownerId,
): Promise<void> {
  const parts = [
    ...(item ? [{ Update: inApiKeys(owner, item, stage) }] : []),
    ...(details ? [{ Update: inOwners(owner.ownerId, details, stage) }] : []),
    ...names,
    await recording(owner, deed, stage),
  ];
  if (!(await changeTogether(parts, stage))) throw new ChangedMeanwhileError(what);
}

/**
 * Deletes everything that is stored about an owner, except for the record of the deletion.
 *
 * @throws ChangedMeanwhileError if the owner was renamed or deleted since it was read
 */
export async function removeOwner({ details }: StoredOwner, stage: KeyStage): Promise<void> {
  const { ownerId, name } = details;
  const [recordName, record] = signed({ command: 'owners delete' }, [], stage);
  const Item = { ownerId: historyKey(ownerId), [recordName]: record };
  const parts = [
    { Delete: inApiKeys(details, { where: { ownerHash: present } }, stage) },
    { Delete: inOwners(ownerId, { where: { name } }, stage) },
    { Delete: inOwners(nameReservation(name), { where: { owner: ownerId } }, stage) },
    { Put: { TableName: stage.ownersTable, Item } },
  ];
  if (!(await changeTogether(parts, stage))) throw new ChangedMeanwhileError(ownerId);
}

/** The part of a transaction that reserves a name. */
function reserved(name: string, owner: string, where: Condition, stage: KeyStage): TransactionPart {
  return { Update: inOwners(nameReservation(name), { set: { owner }, where }, stage) };
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
