import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { OrdersPage, PageRequest, ReadPage } from '../../../lambdas/orders/orders-pages.ts';
import { startScan } from '../../../lambdas/orders/orders-pages.ts';
import { fastForward } from '../../helpers/fast-forward.ts';

type Pages = Awaited<ReturnType<typeof startScan>>;

const { signal } = new AbortController();

describe('startScan', () => {
  it('lists every order of any store once, however the orders are divided into segments', async () => {
    const share = fc.array(fc.nat(3), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(share, fc.integer({ min: 1, max: 9 }), async (segments, perPage) => {
        const ids = orderIds(segments.length);
        const table = fakeTable(ids, perPage, (id) => segments[Number(id) - 1]!);

        const listed = await readAll(table.readPage);

        expect(listed.toSorted()).toEqual(ids.toSorted());
      }),
    );
  });

  it('reads a store of one page with one request', async () => {
    const table = fakeTable(orderIds(10), 10);

    expect(await readAll(table.readPage)).toEqual(orderIds(10));
    expect(table.requests).toHaveLength(1);
  });

  it('has four requests under way, and reads each segment at most one page ahead', async () => {
    const table = fakeTable(orderIds(400), 10);
    const pages = await startScan(table.readPage, signal);
    const first = pages.next();
    expect(table.requests).toHaveLength(1 + 4);

    await first;
    await settled();

    expect(table.requests).toHaveLength(1 + 4 + 1);
    expect(table.mostUnderWay).toBe(4);
  });

  it('reads all segments in turn', async () => {
    const table = fakeTable(orderIds(400), 10);
    const pages = await startScan(table.readPage, signal);

    for (let page = 0; page < 8; page++) {
      await pages.next();
      await settled();
    }

    const asked = table.requests.slice(1).map(({ segment }) => segment?.index);
    expect(asked).toEqual([0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]);
  });

  it.each<[string, (pages: Pages) => Promise<unknown>]>([
    ['its reader leaves', (pages) => pages.return()],
    ['a page fails', (pages) => expect(pages.next()).rejects.toThrow('ValidationException')],
  ])('aborts its requests when %s', async (_when, end) => {
    const table = fakeTable(orderIds(100), 10);
    const signals = new Set<AbortSignal>();
    const asked: number[] = [];
    const readPage: ReadPage = async (request) => {
      if (!request.segment) return table.readPage(request);
      signals.add(request.signal);
      asked.push(request.segment.index);
      if (request.segment.index === 3 && !request.startKey) return table.readPage(request);
      if (request.segment.index !== 1) return new Promise(() => {});
      await settled();
      throw new Error('ValidationException');
    };

    await fastForward(async () => {
      const pages = await startScan(readPage, signal);
      await pages.next();
      await end(pages);
      await new Promise((resolve) => setTimeout(resolve, 5_000));
    });

    expect([...signals].map(({ aborted }) => aborted)).toEqual([true]);
    expect(asked).toEqual([0, 1, 2, 3, 3]);
  });

  it('ignores a page that fails after its reader has left', async () => {
    const table = fakeTable(orderIds(100), 10);
    const nextPage = Promise.withResolvers<OrdersPage>();
    const pages = await startScan(
      (request) => (request.startKey ? nextPage.promise : table.readPage(request)),
      signal,
    );
    await pages.next();
    await pages.return();

    nextPage.reject(new Error('too late'));
    // A rejection that nobody handles would fail the test.
    await settled();

    expect(await pages.next()).toEqual({ done: true, value: undefined });
  });
});

function orderIds(count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(index + 1));
}

/** A table whose orders are divided between the segments of a scan, as in DynamoDB. */
function fakeTable(ids: string[], perPage: number, segmentOf = (id: string) => Number(id) % 4) {
  const table = {
    requests: [] as PageRequest[],
    underWay: 0,
    mostUnderWay: 0,
    async readPage(request: PageRequest): Promise<OrdersPage> {
      table.requests.push(request);
      table.mostUnderWay = Math.max(table.mostUnderWay, ++table.underWay);
      await Promise.resolve();
      table.underWay--;
      const { segment } = request;
      const candidates = segment ? ids.filter((id) => segmentOf(id) === segment.index) : ids;
      return pageOf(request, candidates, perPage);
    },
  };
  return table;
}

function pageOf(request: PageRequest, candidates: string[], perPage: number): OrdersPage {
  const { startKey } = request;
  const start = startKey ? candidates.indexOf(startKey.id?.N ?? '') + 1 : 0;
  const page = candidates.slice(start, start + perPage);
  const isLast = start + page.length === candidates.length;
  return {
    orders: Buffer.from(page.join()),
    count: page.length,
    unlistedIds: [],
    lastEvaluatedKey: isLast ? undefined : { id: { N: page.at(-1)! } },
  };
}

function idsOf(page: OrdersPage): string[] {
  return page.orders.toString().split(',').filter(Boolean);
}

async function readAll(readPage: ReadPage): Promise<string[]> {
  const pages = await startScan(readPage, signal);
  const ids: string[] = [];
  for await (const page of pages) ids.push(...idsOf(page));
  return ids;
}

/** Waits until all pending promises have settled. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
