import { randomUUID } from 'node:crypto';
import { readItem } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';

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
/** The values of a record, by their names. */
export type Values = Readonly<Record<string, Value | undefined>>;

/** What was done, without the time and the operator. */
export type Deed = Omit<HistoryRecord, 'at' | 'by'>;

/** A record, and the name of its attribute in the item that holds the history. */
export type NamedRecord = readonly [name: string, record: HistoryRecord];

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

/** Reads the records of an owner's history, the oldest first. */
export async function namedRecords(ownerId: string, stage: KeyStage): Promise<NamedRecord[]> {
  const key = { ownerId: historyKey(ownerId) };
  const item = await readItem<Record<string, HistoryRecord>>(stage.ownersTable, key, stage);
  const { ownerId: _, ...records } = item ?? {};
  return Object.entries(records).sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Adds the time and the operator, and a name that sorts after the names of earlier records. */
export function signed(
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
export function historyKey(ownerId: string): string {
  return `history#${ownerId}`;
}

/** Formats Unix seconds in ISO 8601, without a fraction. */
export function isoTime(unixSeconds: number): string {
  return new Date(unixSeconds * 1_000).toISOString().replace('.000Z', 'Z');
}
