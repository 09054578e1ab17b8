import { Readable, Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  ListTooLongError,
  SlowReaderError,
  sendBody,
} from '../../../lambdas/list-orders/send-body.ts';
import { maxBacklogMs, maxListMs, minBytesPerSecond } from '../../../lambdas/shared/list-limits.ts';

const chunkBytes = 64 * 1024;
/** The time in which a reader at the minimum rate reads a chunk. */
const minRateMs = (1_000 * chunkBytes) / minBytesPerSecond;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
});

afterEach(() => {
  jest.useRealTimers();
});

/** Lambda's stream with a client that reads a chunk in a given number of milliseconds. */
class Client extends Writable {
  taken = 0;
  msPerChunk: number;
  /** The errors for which the runtime, which listens as well, would end the process. */
  readonly crashes: unknown[] = [];

  constructor(msPerChunk: number) {
    super({ highWaterMark: 1 });
    this.msPerChunk = msPerChunk;
    this.on('error', (error) => this.crashes.push(error));
  }

  // An HTTP request that is destroyed before its response emits an error.
  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    callback(error ?? (this.writableFinished ? null : new Error('socket hang up')));
  }

  override _write(_chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.taken++;
    if (this.msPerChunk === 0) done();
    else setTimeout(done, this.msPerChunk);
  }
}

/** @param msPerChunk the delay of each chunk */
function chunks(count: number, msPerChunk = 0): Readable {
  return Readable.from(
    (async function* () {
      for (let index = 0; index < count; index++) {
        if (msPerChunk) await new Promise((resolve) => setTimeout(resolve, msPerChunk));
        yield Buffer.alloc(chunkBytes);
      }
    })(),
  );
}

/** Sends a body with fake timers. Returns how long it took and how it ended. */
async function send(body: Readable, client: Writable) {
  const sinceMs = performance.now();
  let outcome: unknown;
  const sent = sendBody(body, client).then(
    () => 'sent',
    (error: unknown) => error,
  );
  void sent.then((result) => {
    outcome = result;
  });
  while (outcome === undefined) {
    await new Promise((resolve) => setImmediate(resolve));
    if (outcome === undefined) jest.advanceTimersToNextTimer();
  }
  return { outcome, ms: performance.now() - sinceMs };
}

describe('sendBody', () => {
  it('sends all of it, and ends the stream', async () => {
    const client = new Client(0);

    const { outcome } = await send(chunks(20), client);

    expect([outcome, client.taken, client.writableFinished]).toEqual(['sent', 20, true]);
  });

  it('leaves no timer behind', async () => {
    await send(chunks(20), new Client(10));

    expect(jest.getTimerCount()).toBe(0);
  });

  it.each([
    ['as fast as it must', 0.99 * minRateMs],
    ['twice as fast as it must', 0.5 * minRateMs],
  ])('goes on for a reader that takes %s', async (_, msPerChunk) => {
    const { outcome } = await send(chunks(100), new Client(msPerChunk));

    expect(outcome).toBe('sent');
  });

  it.each([
    ['nothing at all', 1e9, maxBacklogMs, maxBacklogMs],
    ['half of what it must', 2 * minRateMs, 1.8 * maxBacklogMs, 2 * maxBacklogMs],
    ['nine tenths of what it must', minRateMs / 0.9, 9 * maxBacklogMs, 10 * maxBacklogMs],
  ])('cuts off a reader that takes %s', async (_, msPerChunk, notBeforeMs, latestMs) => {
    const body = chunks(10_000);
    const client = new Client(msPerChunk);

    const { outcome, ms } = await send(body, client);

    expect(outcome).toBeInstanceOf(SlowReaderError);
    expect(ms).toBeGreaterThanOrEqual(notBeforeMs);
    expect(ms).toBeLessThanOrEqual(latestMs);
    expect([client.destroyed, body.destroyed]).toEqual([true, true]);
  });

  it('cuts off a reader that takes nothing of what came last', async () => {
    const client = new Client(1e9);

    const { outcome, ms } = await send(chunks(1), client);

    expect(outcome).toBeInstanceOf(SlowReaderError);
    expect(ms).toBeLessThanOrEqual(maxBacklogMs);
  });

  it('has no less patience with a reader that was fast for long', async () => {
    const client = new Client(0.1 * minRateMs);
    const body = chunks(10_000);
    const sending = send(body, client);
    while (client.taken < 500) await new Promise((resolve) => setImmediate(resolve));
    const sinceMs = performance.now();
    client.msPerChunk = 1e9;

    const { outcome } = await sending;

    expect(outcome).toBeInstanceOf(SlowReaderError);
    // The allowed time has a maximum: fast reading before does not allow a pause of minutes.
    expect(performance.now() - sinceMs).toBeLessThanOrEqual(maxBacklogMs + minRateMs);
  });

  it('does not hold a slow table against its reader', async () => {
    const { outcome } = await send(chunks(100, (0.1 * maxListMs) / 100), new Client(1));

    expect(outcome).toBe('sent');
  });

  it.each([
    ['its table is slow', 5_000, 1],
    ['its reader is as slow as it may be', 0, 0.99 * minRateMs],
  ])('ends a list that takes too long because %s', async (_, bodyMs, readerMs) => {
    const body = chunks(10_000, bodyMs);
    const client = new Client(readerMs);

    const { outcome, ms } = await send(body, client);

    expect(outcome).toBeInstanceOf(ListTooLongError);
    expect(ms).toBe(maxListMs);
    expect(body.destroyed).toBe(true);
    // The stream is not ended, so that the runtime reports an incomplete response.
    expect([client.destroyed, client.writableEnded]).toEqual([false, false]);
  });

  it('ends a list whose table never answers', async () => {
    const body = new Readable({ read() {} });

    const { outcome, ms } = await send(body, new Client(1));

    expect(outcome).toBeInstanceOf(ListTooLongError);
    expect(ms).toBe(maxListMs);
  });

  it('fails with what its body fails with, and leaves the stream open', async () => {
    const failure = new Error('the table is gone');
    const body = Readable.from(
      (async function* () {
        yield Buffer.alloc(chunkBytes);
        throw failure;
      })(),
    );
    const client = new Client(0);

    const { outcome } = await send(body, client);

    expect(outcome).toBe(failure);
    expect([client.destroyed, client.writableEnded]).toEqual([false, false]);
  });

  it('fails with what its stream fails with, and ends its body', async () => {
    const failure = new Error('the service is gone');
    const body = chunks(100);
    const client = new Client(1e9);
    setTimeout(() => client.destroy(failure), 5);

    const { outcome } = await send(body, client);

    expect(outcome).toBe(failure);
    expect(body.destroyed).toBe(true);
  });

  it('breaks off for a slow reader without an error that the runtime would take for a crash', async () => {
    const client = new Client(1e9);

    await send(chunks(10), client);
    await new Promise((resolve) => setImmediate(resolve));

    expect([client.destroyed, client.crashes]).toEqual([true, []]);
  });
});

describe('an error of a list', () => {
  it.each([
    [new ListTooLongError(), 'ListTooLongError: A list may take 110 seconds.'],
    [new SlowReaderError(), 'SlowReaderError: A client has to take 125000 bytes a second.'],
  ])('says which limit was not kept: %s', (error, text) => {
    expect(String(error)).toBe(text);
  });
});

describe('the limits of a list', () => {
  it('give the longest one that Lambda can send its time, and a reserve', () => {
    const megabytes = 200;
    const atOnce = 6;
    const perSecond = 2;

    const neededMs = (1_000 * (megabytes - atOnce)) / perSecond;

    expect(maxListMs).toBeGreaterThan(1.1 * neededMs);
    expect(maxListMs).toBeLessThan(1.2 * neededMs);
  });
});
