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
