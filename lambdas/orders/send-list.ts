import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { OrdersPage } from './orders-pages.ts';

/*
 * A list occupies its execution environment until its last byte is sent, and Lambda lets the function run
 * even after the client has disconnected. So a list waits for its client only for a limited time, which every
 * byte of the list extends. `docs/scaling.md` has the number of environments that an owner can occupy.
 */

/**
 * The average rate at which a client has to read. The bytes are counted before compression, so the coding does not
 * change the rate. A line of 2 Mbit/s carries about 235,000 bytes of an uncompressed list a second. TCP/IP and TLS take
 * the rest of the line.
 */
export const minBytesPerSecond = 230_000;

/** The seconds by which a client may fall behind this rate, so that it can pause for five seconds. */
export const maxBacklogMs = 7_000;

/** The longest pause of a client that has been reading faster. */
export const maxPauseMs = 30_000;

/** A content coding, as HTTP names it. */
export type Coding = 'gzip' | 'zstd';

/** A list whose first page has been read. */
export interface OrdersList {
  readonly pages: AsyncIterable<OrdersPage>;
  readonly coding: Coding | undefined;
}

/** The metrics of a list: what has been sent so far. */
export interface ListTotals {
  OrdersListed: number;
  /** Bytes after compression. */
  BytesStreamed: number;
  /** The number of items that are not orders. */
  UnlistedItems: number;
  /** The ids of the first 100 items that are not orders, for the log. */
  readonly unlistedIds: string[];
}

/** The client has been reading too slowly for too long, or has not taken the whole list in time. */
export class SlowReaderError extends Error {
  override readonly name = 'SlowReaderError';
}

/**
 * Sends the JSON array of all orders to the response stream of Lambda's runtime, for as long as the client
 * reads fast enough. A chunk is made when the stream has taken the chunk before it.
 *
 * When the list fails, its `]` is missing, so that nobody takes a part of the orders for all of them. The response
 * stream is not destroyed, as `pipeline` would do, because the runtime treats an error of its stream as a crash, and
 * ends the process. Instead, this function rejects. Then the runtime reports to Lambda that the response is incomplete.
 *
 * @param totals is kept up to date
 * @param maxMs the time in which the list has to end, so that Lambda does not end it without a metric or a log
 * @throws the scan's own error, {@link SlowReaderError}, or an error if the table is too slow for `maxMs`
 */
export async function sendList(
  list: OrdersList,
  output: Writable,
  totals: ListTotals,
  maxMs: number,
): Promise<void> {
  const tooLong = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const isReaderAwaited = output.writableLength > 0;
    const message = `The list was not sent within ${maxMs} ms.`;
    tooLong.reject(isReaderAwaited ? new SlowReaderError(message) : new Error(message));
    // `sendChunks` then ends with its next chunk.
    closeConnection(output);
  }, maxMs);
  try {
    await Promise.race([sendChunks(list, output, totals), tooLong.promise]);
  } catch (error) {
    if (error instanceof SlowReaderError) closeConnection(output);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function sendChunks(
  { pages, coding }: OrdersList,
  output: Writable,
  totals: ListTotals,
): Promise<void> {
  /** The time for which the reader may still keep the function waiting. */
  let allowedMs = maxBacklogMs;
  const json = jsonArray(pages, totals, (bytes) => {
    allowedMs = Math.min(maxPauseMs, allowedMs + (1_000 * bytes) / minBytesPerSecond);
  });
  for await (const chunk of coding ? compressed(json, coding) : json) {
    if (output.destroyed) throw new Error('The response stream is closed.');
    totals.BytesStreamed += chunk.length;
    allowedMs -= await waitFor(output, allowedMs, (done) => output.write(chunk, done));
  }
  await waitFor(output, allowedMs, (done) => output.end(done));
}

/**
 * Makes the chunks of the array. Every order begins with a comma. The array's bracket replaces the first comma.
 *
 * @param onBytes is called with the length of each chunk
 */
async function* jsonArray(
  pages: AsyncIterable<OrdersPage>,
  totals: ListTotals,
  onBytes: (bytes: number) => void,
) {
  let isFirst = true;
  for await (const { orders, count, unlistedIds } of pages) {
    totals.OrdersListed += count;
    totals.UnlistedItems += unlistedIds.length;
    totals.unlistedIds.push(...unlistedIds.slice(0, 100 - totals.unlistedIds.length));
    if (orders.length === 0) continue;
    if (isFirst) orders.write('[');
    isFirst = false;
    onBytes(orders.length);
    yield orders;
  }
  yield Buffer.from(isFirst ? '[]' : ']');
}

async function* compressed(chunks: AsyncIterable<Buffer>, coding: Coding) {
  await using compressor = await createCompressor(coding);
  const output: Buffer[] = [];
  compressor.on('data', (bytes: Buffer) => output.push(bytes));
  for await (const chunk of chunks) {
    await new Promise((resolve) => compressor.write(chunk, resolve));
    yield* output.splice(0);
  }
  compressor.end();
  await once(compressor, 'end');
  yield* output;
}

/** Level 1 is the fastest. docs/adr/0006-the-list-is-parsed-without-the-sdk.md compares both codings. */
async function createCompressor(coding: Coding) {
  // Imported only when needed, because loading the module adds two milliseconds to a cold start.
  const { constants, createGzip, createZstdCompress } = await import('node:zlib');
  const chunkSize = 64 * 1024;
  if (coding === 'gzip') return createGzip({ level: 1, chunkSize });
  return createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 }, chunkSize });
}

/**
 * Resolves when a write has left the process, with the milliseconds for which the reader kept it waiting.
 *
 * @throws SlowReaderError after `allowedMs`
 */
async function waitFor(
  output: Writable,
  allowedMs: number,
  write: (done: (error?: Error | null) => void) => void,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const sinceMs = performance.now();
  const timer = setTimeout(() => {
    reject(new SlowReaderError(`A client has to read ${minBytesPerSecond} bytes a second.`));
  }, allowedMs);
  output.once('error', reject);
  write((error) => (error ? reject(error) : resolve()));
  await promise.finally(() => {
    clearTimeout(timer);
    output.off('error', reject);
  });
  return performance.now() - sinceMs;
}

/**
 * Closes the connection at once. Otherwise, the execution environment would be occupied until a slow reader has read
 * all buffered bytes. The runtime's own listener is removed first, because the listener would end the process.
 */
function closeConnection(output: Writable): void {
  output.removeAllListeners('error');
  output.on('error', () => {});
  output.destroy();
}
