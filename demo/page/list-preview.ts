import {
  type OrderField,
  type OrderFieldName,
  orderFieldNames,
  orderFields,
} from '../../lambdas/shared/order-fields.ts';
import { JsonArraySplitter } from '../../shared/json-array.ts';

export interface ListPreview {
  /** The first orders, each as the JSON text it came as. */
  readonly first: readonly string[];
  readonly orders: number;
  /** Bytes of JSON, after decompression. */
  readonly bytes: number;
}

export interface PreviewSettings {
  /** How many orders are kept; the others are only counted. */
  readonly kept: number;
  readonly onProgress?: (preview: ListPreview) => void;
}

/**
 * Reads a list of any length and keeps its beginning, so that a page can show a store of millions.
 * Throws where the list broke off, or is no JSON array.
 */
export async function previewList(
  body: ReadableStream<Uint8Array>,
  { kept, onProgress = () => {} }: PreviewSettings,
): Promise<ListPreview> {
  const splitter = new JsonArraySplitter();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  const first: string[] = [];
  let bytes = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    bytes += value.length;
    const orders = splitter.push(decoder.decode(value, { stream: true }));
    if (first.length < kept) first.push(...orders.slice(0, kept - first.length));
    onProgress({ first, orders: splitter.count, bytes });
  }
  splitter.end();
  return { first, orders: splitter.count, bytes };
}

/** An order as a page shows it; what it lacks is undefined. Ids keep every digit as text. */
export type ShownOrder = Readonly<Partial<Record<OrderFieldName, string | number | boolean>>>;

const idNames = orderFieldNames.filter((name) => formatOf(orderFields[name]) === 'int64');

function formatOf({ format }: OrderField): OrderField['format'] {
  return format;
}

/** Within a JSON string a quote is escaped, so this finds the ids and nothing else. */
const idMember = new RegExp(`("(?:${idNames.join('|')})"\\s*:\\s*)(-?\\d+)`, 'g');

export function parseShownOrder(text: string): ShownOrder {
  return JSON.parse(text.replace(idMember, '$1"$2"'));
}

// A character that Unicode assigns to nobody, so that no text of an order begins with it.
const exactMark = '\uE000';

/** JSON text indented for people, with every digit of the ids; other text as it is. */
export function indentJson(text: string): string {
  try {
    const marked = JSON.parse(text.replace(idMember, `$1"${exactMark}$2"`));
    return JSON.stringify(marked, null, 2).replace(exactId, '$1');
  } catch {
    return text;
  }
}

const exactId = new RegExp(`"${exactMark}(-?\\d+)"`, 'g');
