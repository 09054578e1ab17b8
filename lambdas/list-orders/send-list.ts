import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { maxBacklogMs, maxListMs, minBytesPerSecond } from '../shared/list-limits.ts';
import type { OrdersPage } from './orders-page.ts';

const openingBracket = '['.charCodeAt(0);

/** A list whose first page has been read. */
export interface OrdersList {
  readonly pages: AsyncIterable<OrdersPage>;
  readonly isGzip: boolean;
  /** Ends the list: its scan, and the wait for its reader. */
  readonly ending: AbortController;
}

/** How much of a list has been sent so far. */
export interface ListTotals {
  orders: number;
  /** Bytes after compression. */
  bytes: number;
}

/** Sending the list has taken longer than a complete one can take. */
export class ListTooLongError extends Error {
  override readonly name = 'ListTooLongError';

  constructor() {
    super(`A list may take ${maxListMs / 1_000} seconds.`);
  }
}

/** The client has been reading too slowly for too long. */
export class SlowReaderError extends Error {
  override readonly name = 'SlowReaderError';

  constructor() {
    super(`A client has to take ${minBytesPerSecond} bytes a second.`);
  }
}

/**
 * Sends the JSON array of all orders to the response stream of Lambda's runtime, within the limits of
 * `list-limits.ts`. The next chunk is made when the stream has taken the one before it.
 *
 * When the list fails, its `]` is missing, so that a part of the orders cannot be mistaken for all of
 * them. The response stream is not destroyed, as `pipeline` would do: the runtime treats an error of
 * its stream as a crash and ends the process. This function rejects instead, and the runtime then
 * reports to Lambda that the response is incomplete.
 *
 * @param totals is kept up to date
 * @throws the scan's own error, {@link ListTooLongError} or {@link SlowReaderError}
 */
export async function sendList(
  { pages, isGzip, ending }: OrdersList,
  output: Writable,
  totals: ListTotals,
): Promise<void> {
  const { signal } = ending;
  const timer = setTimeout(() => ending.abort(new ListTooLongError()), maxListMs);
  const reader = new Reader(output, ending);
  const json = jsonArray(pages, totals);
  try {
    for await (const chunk of isGzip ? gzipped(json) : json) {
      totals.bytes += chunk.length;
      await reader.write(chunk);
    }
    await reader.end();
  } catch (error) {
    const reason = signal.aborted ? signal.reason : error;
    if (reason instanceof SlowReaderError) closeConnection(output);
    throw reason;
  } finally {
    clearTimeout(timer);
    ending.abort();
  }
}

/**
 * Every order begins with a comma; the opening bracket overwrites the very first one. A chunk is written
 * to again when the next one is asked for.
 */
async function* jsonArray(pages: AsyncIterable<OrdersPage>, totals: ListTotals) {
  let isFirst = true;
  for await (const { buffers, count, release } of pages) {
    totals.orders += count;
    for (const buffer of buffers) {
      if (isFirst) buffer[0] = openingBracket;
      isFirst = false;
      yield buffer;
      release(buffer);
    }
  }
  yield Buffer.from(isFirst ? '[]' : ']');
}

/** Compresses at the fastest level of gzip, which reduces the JSON of orders to about a fifth. */
async function* gzipped(chunks: AsyncIterable<Buffer>) {
  // Imported only when needed, because loading the module adds two milliseconds to a cold start.
  const { createGzip } = await import('node:zlib');
  const gzip = createGzip({ level: 1, chunkSize: 64 * 1024 });
  const compressed: Buffer[] = [];
  gzip.on('data', (bytes: Buffer) => compressed.push(bytes));
  try {
    for await (const chunk of chunks) {
      await new Promise((resolve) => gzip.write(chunk, resolve));
      yield* compressed.splice(0);
    }
    gzip.end();
    await once(gzip, 'end');
    yield* compressed;
  } finally {
    gzip.destroy();
  }
}

/** Writes to a stream and limits how long its reader may keep the function waiting. */
class Reader {
  private readonly output: Writable;
  private readonly ending: AbortController;
  /** Rejects when the stream fails or the list ends. */
  private readonly failure: Promise<never>;
  /** How long the reader may still keep the function waiting. Every byte that it reads extends it. */
  private allowedMs = maxBacklogMs;

  constructor(output: Writable, ending: AbortController) {
    this.output = output;
    this.ending = ending;
    this.failure = once(output, 'error', { signal: ending.signal }).then(([error]) => {
      throw error;
    });
    // It can happen while nobody waits for the reader.
    this.failure.catch(() => {});
  }

  /** Resolves when the chunk has left the process. */
  async write(chunk: Buffer): Promise<void> {
    if (this.output.destroyed) throw new Error('The response stream is closed.');
    const sinceMs = performance.now();
    await this.waitFor((done) => this.output.write(chunk, done));
    const earnedMs = (1_000 * chunk.length) / minBytesPerSecond;
    const leftMs = this.allowedMs - (performance.now() - sinceMs) + earnedMs;
    this.allowedMs = Math.min(leftMs, maxBacklogMs);
  }

  async end(): Promise<void> {
    await this.waitFor((done) => this.output.end(done));
  }

  private async waitFor(start: (done: (error?: Error | null) => void) => void): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => this.ending.abort(new SlowReaderError()), this.allowedMs);
    start((error) => (error ? reject(error) : resolve()));
    await Promise.race([promise, this.failure]).finally(() => clearTimeout(timer));
  }
}

/**
 * Closes the connection at once. Otherwise the execution environment would be occupied until a slow
 * reader has read everything that is buffered. The runtime's own listener is removed first, because
 * it would end the process.
 */
function closeConnection(output: Writable): void {
  output.removeAllListeners('error');
  output.on('error', () => {});
  output.destroy();
}
