import { JsonArraySplitter } from '../../shared/json-array.ts';

export interface ListPreview {
  /** The first orders as JSON texts. */
  readonly first: readonly string[];
  readonly orders: number;
  /** The bytes of JSON after decompression. */
  readonly bytes: number;
}

interface PreviewSettings {
  /** The number of orders to keep. Further orders are only counted. */
  readonly kept: number;
  readonly onProgress?: (preview: ListPreview) => void;
}

/**
 * Reads a list of orders and keeps only the first ones, so that memory stays constant for any length.
 *
 * @throws Error when the list is incomplete or not a JSON array
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
