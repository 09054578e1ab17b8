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
type Values = Readonly<Record<string, Value | undefined>>;

/** What was done, without the time and the operator. */
export type Deed = Omit<HistoryRecord, 'at' | 'by'>;

/** Reads the changes of an owner and its keys, the oldest first. */
export async function readHistory(ownerId: string, stage: KeyStage): Promise<HistoryRecord[]> {
  const key = { ownerId: historyKey(ownerId) };
  const item = await readItem<Record<string, HistoryRecord>>(stage.ownersTable, key, stage);
  const { ownerId: _, ...records } = item ?? {};
  // The names of records are the revisions of the owner, and JavaScript sorts such names.
  return Object.values(records);
}

/** The fields whose values differ. */
export function differences(before: Values, after: Values): NonNullable<HistoryRecord['changes']> {
  const changes = Object.keys({ ...before, ...after }).map((field) => {
    return [field, { from: before[field] ?? null, to: after[field] ?? null }] as const;
  });
  return Object.fromEntries(changes.filter(([, { from, to }]) => from !== to));
}

/** Adds the time and the operator. */
export function recordOf(deed: Deed, { now, operator }: KeyStage): HistoryRecord {
  return { at: new Date(now()).toISOString(), by: operator, ...deed };
}

/** The key of the item in the Owners table that holds an owner's history. */
export function historyKey(ownerId: string): string {
  return `history#${ownerId}`;
}

/** Formats Unix seconds in ISO 8601, without a fraction. */
export function isoTime(unixSeconds: number): string {
  return new Date(unixSeconds * 1_000).toISOString().replace('.000Z', 'Z');
}
