import { setTimeout as sleep } from 'node:timers/promises';
import { createZstdCompress, zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { OrdersPage } from '../../../lambdas/orders/orders-pages.ts';
import {
  type Coding,
  type ListTotals,
  maxBacklogMs,
  maxPauseMs,
  minBytesPerSecond,
  SlowReaderError,
  sendList,
} from '../../../lambdas/orders/send-list.ts';
import { LambdaStream } from '../../helpers/functions/awslambda.ts';

type Pages = AsyncGenerator<OrdersPage, void, void>;

const pageBytes = 64 * 1024;
const maxMs = 295_000;
/** The maximum number of turns, which is several times what the longest list needs. */
const mostTurns = 20_000;
/** The time in which a reader at the minimum rate reads a page. */
const minRateMs = (1_000 * pageBytes) / minBytesPerSecond;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
});

afterEach(() => {
  jest.useRealTimers();
});

/** Sends a list with fake timers. */
async function send(pages: Pages, client: LambdaStream, coding?: Coding) {
  const sinceMs = performance.now();
  const totals = noTotals();
  let outcome: unknown;
  sendList({ pages, coding }, client, totals, maxMs)
    .then(() => 'sent')
    .catch((error: unknown) => error)
    .then((result) => {
      outcome = result;
    });
  for (let turns = 0; outcome === undefined; turns++) {
    if (turns === mostTurns) throw new Error('The list does not end.');
    // Compression runs in another thread, and takes time that no fake timer shows.
    await (coding ? sleep(1) : new Promise((resolve) => setImmediate(resolve)));
    const isWaiting = !coding || client.isReading;
    if (outcome === undefined && isWaiting) jest.advanceTimersToNextTimer();
  }
  const ms = performance.now() - sinceMs;
  await new Promise((resolve) => setImmediate(resolve));
  return { outcome, totals, ms };
}

function noTotals(): ListTotals {
  return { OrdersListed: 0, BytesStreamed: 0, UnlistedItems: 0, unlistedIds: [] };
}

/** Pages of texts, each of which stands for an order. */
async function* pagesOf(...all: string[][]): Pages {
  for (const orders of all) {
    const count = orders.length;
    yield {
      orders: Buffer.from(orders.join('')),
      count,
      unlistedIds: [],
      lastEvaluatedKey: undefined,
    };
  }
}

/** Pages of `pageBytes`. @param msPerPage the delay of each page */
async function* largePages(count: number, msPerPage = 0): Pages {
  for (let index = 0; index < count; index++) {
    if (msPerPage) await new Promise((resolve) => setTimeout(resolve, msPerPage));
    yield* pagesOf([' '.repeat(pageBytes)]);
  }
}

/** About 64 KB of orders that compress like real orders. */
function ordersOfPage(page: number): string {
  const ids = Array.from({ length: 1_500 }, (_, index) => (1_500 * page + index) * 48_271);
  return ids.map((id) => `,{"id":${id},"petId":${id % 9_973},"complete":false}`).join('');
}

describe('the body of a list', () => {
  it.each([
    ['no page', '[]', []],
    ['empty pages', '[]', [[], []]],
    ['one page', '[{"id":1},{"id":2}]', [[',{"id":1},{"id":2}']]],
    ['pages among empty ones', '[{"id":1},{"id":2}]', [[], [',{"id":1}'], [], [',{"id":2}'], []]],
  ] as [string, string, string[][]][])('is one JSON array: %s', async (_what, body, pages) => {
    const client = new LambdaStream();

    const { outcome, totals } = await send(pagesOf(...pages), client);

    expect(outcome).toBe('sent');
    expect([String(Buffer.concat(client.received)), client.writableFinished]).toEqual([body, true]);
    expect(totals).toMatchObject({ OrdersListed: pages.flat().length, BytesStreamed: body.length });
  });

  it.each([undefined, 'zstd'] as const)(
    'lacks its end if a page fails, and the stream stays open: %s',
    async (coding) => {
      const failure = new Error('the table is gone');
      const client = new LambdaStream();
      const failing = (async function* () {
        yield* largePages(2);
        throw failure;
      })();
      // A compressor must be destroyed, because its memory is outside of JavaScript.
      const freed = jest.spyOn(Object.getPrototypeOf(createZstdCompress()), '_destroy');

      const { outcome } = await send(failing, client, coding);

      expect(freed).toHaveBeenCalledTimes(coding ? 1 : 0);
      freed.mockRestore();
      expect(outcome).toBe(failure);
      expect([client.destroyed, client.writableEnded]).toEqual([false, false]);
      expect(String(Buffer.concat(client.received))).not.toContain(']');
    },
  );

  it('requests no page until the reader has taken the previous one', async () => {
    let asked = 0;
    const counted = (async function* () {
      for (; asked < 100; asked++) yield* largePages(1);
    })();
    const client = new LambdaStream(() => 1e9);
    sendList({ pages: counted, coding: undefined }, client, noTotals(), maxMs).catch(() => {});

    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    client.destroy();

    expect(asked).toBeLessThan(3);
  });
});

describe('the end of a list', () => {
  it('leaves no timers or listeners', async () => {
    const client = new LambdaStream(() => 10);
    const listeners = client.listenerCount('error');

    await send(largePages(20), client);

    expect(jest.getTimerCount()).toBe(0);
    expect(client.listenerCount('error')).toBe(listeners);
  });

  it.each([0, 1_000])(
    'reaches a reader that is just fast enough, if the table needs %i ms for each page',
    async (msPerPage) => {
      const { outcome } = await send(
        largePages(100, msPerPage),
        new LambdaStream(() => 0.99 * minRateMs),
      );

      expect(outcome).toBe('sent');
    },
  );

  it('comes when a reader has been too slow for the bytes that it has received', async () => {
    const client = new LambdaStream(() => minRateMs / 0.9);

    const { outcome, totals, ms } = await send(largePages(1_000), client);

    expect(String(outcome)).toBe('SlowReaderError: A client has to read 230000 bytes a second.');
    expect(outcome).toBeInstanceOf(SlowReaderError);
    const allowedMs = maxBacklogMs + (1_000 * totals.BytesStreamed) / minBytesPerSecond;
    expect(Math.abs(ms - allowedMs)).toBeLessThan(50);
    // The stream is destroyed without an error, because the runtime would take an error of its stream for a crash.
    expect([client.destroyed, client.crashes]).toEqual([true, []]);
  });

  it('comes after 30 seconds for a client that was fast, and then reads nothing', async () => {
    const fastMs = Math.floor(0.1 * minRateMs);
    const client: LambdaStream = new LambdaStream(() =>
      client.received.length < 500 ? fastMs : 1e9,
    );

    const { outcome, ms } = await send(largePages(10_000), client);

    expect(outcome).toBeInstanceOf(SlowReaderError);
    expect(Math.abs(ms - 500 * fastMs - maxPauseMs)).toBeLessThan(50);
  });

  it('depends on how many orders a client reads, even if the orders are compressed', async () => {
    const orders = Array.from({ length: 100 }, (_, page) => ordersOfPage(page));
    const whole = Buffer.from(orders.join(''));
    const factor = whole.length / zstdCompressSync(whole).length;
    const endFor = async (share: number) => {
      const bytesPerMs = (share * minBytesPerSecond) / 1_000;
      const client = new LambdaStream((chunk) => (factor * chunk.length) / bytesPerMs);
      return (await send(pagesOf(...orders.map((page) => [page])), client, 'zstd')).outcome;
    };

    expect(factor).toBeGreaterThan(2);
    expect(await endFor(1.2)).toBe('sent');
    expect(await endFor(0.6)).toBeInstanceOf(SlowReaderError);
  });

  it.each([
    ["the client's fault if the list waits for it", 0, minRateMs, 'SlowReaderError'],
    ["the table's fault if the list waits for a page", 1_000, 0, 'Error'],
  ])('comes when its time is over, which is %s', async (_whose, msPerPage, msToRead, name) => {
    const client = new LambdaStream(() => msToRead);

    const { outcome, ms } = await send(largePages(10_000, msPerPage), client);

    expect(String(outcome)).toBe(`${name}: The list was not sent within 295000 ms.`);
    expect([ms, client.destroyed, client.crashes]).toEqual([maxMs, true, []]);
  });

  it("comes when its stream fails, with the stream's error, and ends the scan", async () => {
    const failure = new Error('the service is gone');
    const client = new LambdaStream(() => 1e9);
    setTimeout(() => client.destroy(failure), 5);

    let isScanOver = false;
    const pages = (async function* () {
      try {
        yield* largePages(100);
      } finally {
        isScanOver = true;
      }
    })();

    const { outcome } = await send(pages, client);

    expect([outcome, isScanOver]).toEqual([failure, true]);
  });

  it('comes when its stream is closed while it waits for the table', async () => {
    const client = new LambdaStream();
    setTimeout(() => client.destroy(), 5);

    const { outcome } = await send(largePages(100, 10), client);

    expect(outcome).toEqual(new Error('The response stream is closed.'));
  });
});
