import { randomUUID } from 'node:crypto';
import { ChangedMeanwhileError } from '../../shared/errors.ts';
import {
  changeTogether,
  readItem,
  type TransactionPart,
  type Update,
} from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { inApiKeys, inOwners, type OwnerDetails } from './stored-owner.ts';

/** A change of an owner or its keys, as the owner's history records it. */
export interface HistoryRecord {
  /** ISO 8601. */
  readonly at: string;
  /** The operator: an AWS identity, or the name given with `--as`. */
  readonly by: string;
  readonly command: string;
  readonly keyIds?: readonly string[];
  readonly changes?: Readonly<Record<string, { readonly from: Value; readonly to: Value }>>;
}

type Value = string | number | boolean | null;
type Values = Readonly<Record<string, Value | undefined>>;

type Deed = Omit<HistoryRecord, 'at' | 'by'>;

type NamedRecord = readonly [name: string, record: HistoryRecord];

/**
 * The number of changes that a history keeps. The largest record, of a renaming, has 2 KB, and an item can have 400 KB.
 */
const keptRecords = 180;

interface Changes {
  /** In the ApiKeys table. */
  readonly ofItem?: Update;
  /** In the Owners table. */
  readonly ofDetails?: Update | undefined;
  readonly others?: readonly TransactionPart[];
}

/**
 * Makes changes of an owner or its keys together with their record, in one transaction.
 *
 * @param refusal the error to throw if a condition fails; then nothing is changed and nothing recorded
 */
export async function changeAndRecord(
  details: OwnerDetails,
  deed: Deed,
  { ofItem, ofDetails, others = [] }: Changes,
  stage: KeyStage,
  refusal: () => Error | Promise<Error> = () =>
    new ChangedMeanwhileError(deed.keyIds?.[0] ?? details.ownerId),
): Promise<void> {
  const { ownerId } = details;
  const records = await namedRecords(ownerId, stage);
  const [name, record] = signed(deed, records, stage);
  const surplus = records.slice(0, 1 - keptRecords);
  const update = { set: { [name]: record }, remove: surplus.map(([old]) => old) };
  const parts = [
    ...(ofItem ? [{ Update: inApiKeys(details, ofItem, stage) }] : []),
    ...(ofDetails ? [{ Update: inOwners(ownerId, ofDetails, stage) }] : []),
    ...others,
    { Update: inOwners(keyOf(ownerId), update, stage) },
  ];
  if (!(await changeTogether(parts, stage))) throw await refusal();
}

/** The part of a transaction that removes an owner's history, except for the record of the owner's deletion. */
export async function onlyDeletion(
  ownerId: string,
  isRecorded: boolean,
  stage: KeyStage,
): Promise<TransactionPart> {
  const deed = { command: 'owners delete' };
  const records = await namedRecords(ownerId, stage);
  const kept = records.filter(([, { command }]) => command === deed.command);
  if (!isRecorded) kept.push(signed(deed, kept, stage));
  const Item = { ...Object.fromEntries(kept), ownerId: keyOf(ownerId) };
  return { Put: { TableName: stage.ownersTable, Item } };
}

/** Reads the changes of an owner and its keys, the oldest first. */
export async function readHistory(ownerId: string, stage: KeyStage): Promise<HistoryRecord[]> {
  const records = await namedRecords(ownerId, stage);
  // Puts the members into a fixed order, because DynamoDB does not keep the order of a map's entries.
  return records.map(([, { at, by, command, ...others }]) => ({ at, by, command, ...others }));
}

/** The fields whose values differ. */
export function differences(before: Values, after: Values): NonNullable<HistoryRecord['changes']> {
  const changes = Object.keys({ ...before, ...after }).map((field) => {
    return [field, { from: before[field] ?? null, to: after[field] ?? null }] as const;
  });
  return Object.fromEntries(changes.filter(([, { from, to }]) => from !== to));
}

async function namedRecords(ownerId: string, stage: KeyStage): Promise<NamedRecord[]> {
  const key = { ownerId: keyOf(ownerId) };
  const item = await readItem<Record<string, HistoryRecord>>(stage.ownersTable, key, stage);
  const { ownerId: _, ...records } = item ?? {};
  return Object.entries(records).sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Adds the time and the operator, and a name that sorts after the names of earlier records. */
function signed(
  deed: Deed,
  earlier: readonly NamedRecord[],
  { now, operator }: KeyStage,
): NamedRecord {
  const record = { at: new Date(now()).toISOString(), by: operator, ...deed };
  // Operators' clocks may differ, so the name is not just the time. Two operators may make a change at the same time,
  // so it ends with a random part.
  const [last = '0'] = earlier.at(-1) ?? [];
  const order = Math.max(now(), Number.parseInt(last, 10) + 1);
  return [`${order}-${randomUUID()}`, record];
}

/** The key of the item in the Owners table that holds an owner's history. */
function keyOf(ownerId: string): string {
  return `history#${ownerId}`;
}
