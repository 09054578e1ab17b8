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
  let orders = 0;
  let bytes = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    bytes += value.length;
    for (const order of splitter.push(value)) {
      if (orders < kept) first.push(decoder.decode(order.bytes));
      orders++;
    }
    onProgress({ first, orders, bytes });
  }
  splitter.end();
  return { first, orders, bytes };
}

/** An order as a page shows it; what it lacks is undefined. Ids keep every digit as text. */
export interface ShownOrder {
  readonly id?: string;
  readonly petId?: string;
  readonly quantity?: number;
  readonly shipDate?: string;
  readonly complete?: boolean;
}

/** Within a JSON string a quote is escaped, so this finds the two members and nothing else. */
const idMember = /("(?:id|petId)"\s*:\s*)(-?\d+)/g;

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
