import { pipeline, Readable, Transform } from 'node:stream';
import type { OrdersPage } from './orders-page.ts';

const openingBracket = '['.charCodeAt(0);
type Pages = AsyncGenerator<OrdersPage, void, void>;

/** How much a body has carried so far. */
export interface BodyTotals {
  orders: number;
  /** As sent, hence after compression. */
  bytes: number;
}

export interface OrdersBody {
  stream: Readable;
  totals: BodyTotals;
}

/**
 * The JSON array of all orders. A page is asked for when the reader has taken the one before it.
 * When one fails the body breaks off without its `]`, so that nobody takes a part of the orders for
 * all of them.
 *
 * @param compressor what the JSON goes through, if anything
 * @param stop called once nothing more is wanted: the body has ended or failed, or its reader left
 */
export function ordersBody(
  pages: Pages,
  compressor?: Transform,
  stop: () => void = () => {},
): OrdersBody {
  const totals: BodyTotals = { orders: 0, bytes: 0 };
  const json = readable(jsonArray(pages, totals), stop);
  const counter = byteCounter(totals);
  // The last stream's own error is what the reader sees; there is nothing to add in a callback.
  const done = () => {};
  const stream = compressor
    ? pipeline(json, compressor, counter, done)
    : pipeline(json, counter, done);
  return { stream, totals };
}

/** Gzip at its fastest level, at which the orders' JSON shrinks to about a fifth. */
export async function gzipCompressor(): Promise<Transform> {
  // Loaded when it is needed: it takes two milliseconds of a cold start.
  const { createGzip } = await import('node:zlib');
  return createGzip({ level: 1, chunkSize: 64 * 1024 });
}

/** Every order comes as `,{…}`: the first comma of all makes way for the opening bracket. */
async function* jsonArray(pages: Pages, totals: BodyTotals): AsyncGenerator<Buffer, void, void> {
  let isFirst = true;
  for await (const { pieces, count, release } of pages) {
    totals.orders += count;
    for (const piece of pieces) {
      if (isFirst) piece[0] = openingBracket;
      isFirst = false;
      const chunk = Buffer.from(piece);
      release(piece);
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
