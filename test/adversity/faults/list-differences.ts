import { gunzipSync } from 'node:zlib';
import { splitArray } from '../../helpers/dynamodb/orders.ts';
import type { StoreAnswer } from './store-under-faults.ts';

/** What a list may and must have. */
interface ExpectedList {
  readonly isGzip: boolean;
  /** The ids of the orders that were there all the time. */
  readonly required: ReadonlySet<string>;
  /** Whether an order was there for a part of the time at least. */
  readonly isPossible: (id: string) => boolean;
  /** The text of an order. @default - any */
  readonly rowOf?: (id: string) => string;
}

/** A list has every order that was there all the time, once; or it is visibly broken. */
export function wholeListDifferences(
  { body, isComplete }: StoreAnswer,
  { isGzip, required, isPossible, rowOf }: ExpectedList,
): string[] {
  const text = textOf(body, isGzip);
  if (!isComplete) {
    return text !== undefined && isJson(text) ? ['a list that broke off looks whole'] : [];
  }
  if (text === undefined || !isJson(text)) return ['a list that ended well is no JSON'];
  const rows = splitArray(text).map((row) => ({ row, id: idOf(row) }));
  const ids = new Set(rows.map(({ id }) => id));
  const wrong = rowOf ? rows.filter(({ row, id }) => row !== rowOf(id)) : [];
  return [
    ...[...required]
      .filter((id) => !ids.has(id))
      .map((id) => `a list that ended well lacks the order ${id}`),
    ...[...ids].filter((id) => !isPossible(id)).map((id) => `a list has ${id}, which is no order`),
    ...(ids.size < rows.length ? ['a list has an order twice'] : []),
    ...wrong.map(({ row }) => `a list has the row ${row}`),
  ];
}

const idOf = (row: string) => /^\{"id":(-?\d+),/.exec(row)?.[1] ?? row;

function textOf(body: Buffer, isGzip: boolean): string | undefined {
  try {
    return (isGzip ? gunzipSync(body) : body).toString();
  } catch {
    return undefined;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
