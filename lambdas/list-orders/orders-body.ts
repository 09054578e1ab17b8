import { pipeline, Readable, Transform } from 'node:stream';
import type { OrdersPage } from './orders-page.ts';

const openingBracket = '['.charCodeAt(0);
type Pages = AsyncGenerator<OrdersPage, void, void>;

/** How much of a body has been sent so far. */
export interface BodyTotals {
  orders: number;
  /** Bytes after compression. */
  bytes: number;
}

export interface OrdersBody {
  stream: Readable;
  totals: BodyTotals;
}

/**
 * Streams the JSON array of all orders. The next page is requested when the reader has consumed the
 * one before it. If a page fails, the body ends with an error and without its `]`, so that a part of
 * the orders cannot be mistaken for all of them.
 *
 * @param compressor a transformation of the JSON, such as gzip
 * @param stop called when no further pages are needed: the body has ended, failed or been destroyed
 */
export function ordersBody(
  pages: Pages,
  compressor?: Transform,
  stop: () => void = () => {},
): OrdersBody {
  const totals: BodyTotals = { orders: 0, bytes: 0 };
  const json = readable(jsonArray(pages, totals), stop);
  const counter = byteCounter(totals);
  // `pipeline` requires a callback. Nothing is left to do in it: an error reaches the reader through
  // the last stream, which `pipeline` destroys with it.
  const done = () => {};
  const stream = compressor
    ? pipeline(json, compressor, counter, done)
    : pipeline(json, counter, done);
  return { stream, totals };
}

/** Compresses at the fastest level of gzip, which reduces the JSON of orders to about a fifth. */
export async function gzipCompressor(): Promise<Transform> {
  // Imported only when needed, because loading the module adds two milliseconds to a cold start.
  const { createGzip } = await import('node:zlib');
  return createGzip({ level: 1, chunkSize: 64 * 1024 });
}

/** Every order begins with a comma; the opening bracket overwrites the very first one. */
async function* jsonArray(pages: Pages, totals: BodyTotals): AsyncGenerator<Buffer, void, void> {
  let isFirst = true;
  for await (const { buffers, count, release } of pages) {
    totals.orders += count;
    for (const buffer of buffers) {
      if (isFirst) buffer[0] = openingBracket;
      isFirst = false;
      const chunk = Buffer.from(buffer);
      release(buffer);
      yield chunk;
    }
  }
  yield Buffer.from(isFirst ? '[]' : ']');
}

function readable(chunks: AsyncGenerator<Buffer, void, void>, stop: () => void): Readable {
  return new Readable({
    read() {
      chunks.next().then(
        ({ value, done }) => this.push(done ? null : value),
        (error) => this.destroy(error),
      );
    },
    destroy(error, callback) {
      stop();
      chunks.return().catch(() => {});
      callback(error);
    },
  });
}

function byteCounter(totals: BodyTotals): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      totals.bytes += chunk.length;
      callback(null, chunk);
    },
  });
}
