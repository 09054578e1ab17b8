import type { DynamoDBClient, ScanCommandInput } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { orderFieldNames } from '../../../lambdas/orders/order-fields.ts';
import {
  type OrdersPage,
  orderToJson,
  type PageRequest,
  pageReader,
  type ReadPage,
  startScan,
} from '../../../lambdas/orders/orders-pages.ts';
import { createDynamoDbClient } from '../../../lambdas/runtime/dynamodb.ts';
import { contentType, DynamodbProxy, type Reply } from '../../helpers/dynamodb/dynamodb-proxy.ts';
import { orderItem, orderItems, parseExactly, scanAnswer } from '../../helpers/dynamodb/orders.ts';
import { type ScannedTable, scanOf } from '../../helpers/dynamodb/scanned-table.ts';
import { fastForward } from '../../helpers/fast-forward.ts';
import { functionEnvironment } from '../../helpers/functions/function-environment.ts';

type Pages = Awaited<ReturnType<typeof startScan>>;

const { signal } = new AbortController();

describe('pageReader', () => {
  const wrongAnswer = scanAnswer(orderItems(1_000, 5_000n));
  let table: DynamodbProxy;
  let client: DynamoDBClient;

  afterEach(async () => {
    client.destroy();
    await table[Symbol.asyncDispose]();
  });

  it('requests exactly the fields of an order, whatever words DynamoDB reserves, and the latest writes', async () => {
    await startTable({ items: orderItems(40), ordersPerPage: 5 });
    const startKey = { id: { N: '3' } };

    await read();
    const { lastEvaluatedKey } = await read({ startKey, segment: { index: 2, total: 4 } });

    const asked = table.requests.map(({ input }) => {
      const { ProjectionExpression, ExpressionAttributeNames, ...others } =
        input as Partial<ScanCommandInput>;
      const fields = ProjectionExpression?.split(', ').map(
        (name) => ExpressionAttributeNames?.[name],
      );
      return { fields, ...others };
    });
    // The whole input: a limit or a filter would be an addition.
    const whole = { fields: orderFieldNames, TableName: 'orders', ConsistentRead: true };
    const rest = { ExclusiveStartKey: startKey, Segment: 2, TotalSegments: 4 };
    expect(asked).toEqual([whole, { ...whole, ...rest }]);
    expect(lastEvaluatedKey).toEqual({ id: { N: '23' } });
  });

  it('reads every order of a response, and counts the items that are no orders', async () => {
    const items = [
      ...orderItems(20, 9_223_372_036_854_775_700n),
      orderItem(2, { shipDate: { NULL: true }, status: { S: '"\\ü🐕' } }),
      orderItem('1.5'),
      orderItem(3, { id: undefined }),
    ];
    await startTable({ items });

    const page = await read();

    expect(ordersOf(page)).toEqual(parseExactly(`[${items.map(orderToJson).slice(0, 21)}]`));
    expect(page).toMatchObject({ count: 21, unlistedIds: ['1.5', ''] });
    expect(page.lastEvaluatedKey).toBeUndefined();
  });

  it.each<[string, Reply]>([
    ['ends prematurely', ({ outgoing }) => outgoing.write(wrongAnswer, () => outgoing.destroy())],
    [
      'lacks only its last byte',
      ({ outgoing }) => outgoing.writeHead(200, contentType).end(wrongAnswer.slice(0, -1)),
    ],
  ])(
    'repeats the request if a response %s, and uses no part of that response',
    async (_, reply) => {
      const items = orderItems(1_000);
      await startTable({ items });
      table.next.push(reply);

      const page = await read();

      expect(table.requests).toHaveLength(2);
      expect(ordersOf(page)).toEqual(parseExactly(`[${items.map(orderToJson)}]`));
    },
  );

  it.each([
    ['is empty', ''],
    ['states no count', scanAnswer(orderItems(2)).replace('"Count":2,', '')],
    ['has fewer orders than it states', scanAnswer(orderItems(2)).replace('Count":2', 'Count":3')],
  ])('throws if a response with status 200 %s', async (_what, body) => {
    await startTable({ items: [] });
    table.reply = ({ outgoing }) => outgoing.writeHead(200, contentType).end(body);

    const error = await read().catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({
      code: 'service_unavailable',
      cause: { message: expect.stringMatching(/^A page has \d items, and its Count is \w+\.$/) },
    });
  });

  async function startTable(scanned: ScannedTable): Promise<void> {
    table = await DynamodbProxy.start(scanOf(scanned));
    Object.assign(process.env, functionEnvironment, { AWS_ENDPOINT_URL_DYNAMODB: table.url });
    client = createDynamoDbClient({ maxAttempts: 2, requestTimeoutMs: 5_000 });
  }

  function read(request: object = {}): Promise<OrdersPage> {
    return pageReader(client, 'orders')({ ...request, signal });
  }

  function ordersOf({ orders }: OrdersPage): unknown {
    return parseExactly(`[${orders.toString().slice(1)}]`);
  }
});

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

  it('has four requests under way, at most one page ahead, and reads all segments in turn', async () => {
    const table = fakeTable(orderIds(400), 10);
    const pages = await startScan(table.readPage, signal);

    for (let page = 1; page <= 8; page++) {
      await pages.next();
      await settled();
      expect(table.requests).toHaveLength(1 + 4 + page);
    }

    expect(table.mostUnderWay).toBe(4);
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

  it('ignores the failure of a page after the reader has left', async () => {
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
      const { segment, startKey } = request;
      const candidates = segment ? ids.filter((id) => segmentOf(id) === segment.index) : ids;
      const start = startKey ? candidates.indexOf(startKey.id?.N ?? '') + 1 : 0;
      const page = candidates.slice(start, start + perPage);
      const isLast = start + page.length === candidates.length;
      return {
        orders: Buffer.from(page.join()),
        count: page.length,
        unlistedIds: [],
        lastEvaluatedKey: isLast ? undefined : { id: { N: page.at(-1)! } },
      };
    },
  };
  return table;
}

async function readAll(readPage: ReadPage): Promise<string[]> {
  const ids: string[] = [];
  for await (const { orders } of await startScan(readPage, signal)) {
    ids.push(...orders.toString().split(',').filter(Boolean));
  }
  return ids;
}

/** Waits until all pending promises have settled. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
