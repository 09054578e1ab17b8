import type { DynamoDBClient, ScanCommandInput } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import {
  type OrdersPage,
  orderToJson,
  pageReader,
} from '../../../lambdas/list-orders/orders-page.ts';
import { createDynamoDbClient } from '../../../lambdas/shared/dynamodb.ts';
import { ServiceUnavailableError } from '../../../lambdas/shared/errors.ts';
import { orderFieldNames } from '../../../lambdas/shared/order-fields.ts';
import { contentType, DynamodbProxy } from '../../helpers/dynamodb/dynamodb-proxy.ts';
import {
  type OrderItem,
  orderItem,
  orderItems,
  parseExactly,
  scanAnswer,
} from '../../helpers/dynamodb/orders.ts';
import { type ScannedTable, scanOf } from '../../helpers/dynamodb/scanned-table.ts';
import { functionEnvironment } from '../../helpers/functions/function-environment.ts';

const { signal } = new AbortController();
let table: DynamodbProxy;
let client: DynamoDBClient;

afterEach(async () => {
  client.destroy();
  await table[Symbol.asyncDispose]();
});

describe('pageReader', () => {
  it('asks for the fields of an order and nothing else, whatever words DynamoDB reserves', async () => {
    await startTable({ items: orderItems(3) });

    await read();

    const { TableName, ProjectionExpression, ExpressionAttributeNames } = table.requests[0]!
      .input as Partial<ScanCommandInput>;
    const asked = ProjectionExpression?.split(', ').map((name) => ExpressionAttributeNames?.[name]);
    expect(TableName).toBe('orders');
    expect(asked).toEqual(orderFieldNames);
  });

  it('asks for the page of a segment after a key', async () => {
    await startTable({ items: orderItems(40), ordersPerPage: 5 });
    const startKey = { id: { N: '3' } };

    const page = await read({ startKey, segment: { index: 2, total: 4 } });

    expect(table.requests[0]!.input).toMatchObject({
      ExclusiveStartKey: startKey,
      Segment: 2,
      TotalSegments: 4,
    });
    expect(page.lastEvaluatedKey).toEqual({ id: { N: '23' } });
  });

  it.each([7, undefined])(
    'reads orders of any shape, in chunks of %s bytes',
    async (chunkBytes) => {
      const items = [
        ...orderItems(20, 9_223_372_036_854_775_700n),
        orderItem(2, { shipDate: undefined }),
        orderItem(3, { shipDate: { NULL: true } }),
        orderItem(4, { shipDate: { S: '"\\ü🐕' } }),
      ];
      await startTable({ items, chunkBytes });

      const page = await read();

      expect(ordersOf(page)).toHaveLength(23);
      expect(ordersOf(page)).toMatchObject([
        { id: 'number 9223372036854775700', petId: 'number 7' },
        ...Array(19).fill({ shipDate: '2026-11-20T09:30:00Z' }),
        { id: 'number 2', complete: false },
        { id: 'number 3', complete: false },
        { id: 'number 4', shipDate: '"\\ü🐕' },
      ]);
      expect((ordersOf(page) as object[])[21]).not.toHaveProperty('shipDate');
      expect(page.lastEvaluatedKey).toBeUndefined();
    },
  );

  it.each([
    ['flat', {}],
    ['odd', { shipDate: { NULL: true } }],
  ])('leaves out and counts the orders to except, among %s ones', async (_what, odd) => {
    const items = [1, 2, 3].map((id) => orderItem(id, odd as OrderItem));
    await startTable({ items });
    const ids = new Set<string>();
    await read({ ids });
    table.reply = scanOf({ items: [...items, orderItem(4, odd as OrderItem)] });

    const page = await read({ except: ids });

    expect([...ids]).toEqual(['1', '2', '3']);
    expect(page).toMatchObject({ count: 1, exceptedCount: 3 });
    expect(ordersOf(page)).toMatchObject([{ id: 'number 4' }]);
  });

  it('asks again when an answer breaks off, and takes nothing of the broken one', async () => {
    const items = orderItems(1_000);
    await startTable({ items });
    const broken = { items: orderItems(1_000, 5_000n), chunkBytes: 4_096, isBrokenOff: true };
    table.next.push(scanOf(broken));
    const ids = new Set<string>();

    const page = await read({ ids });

    expect(table.requests).toHaveLength(2);
    expect(page.count).toBe(1_000);
    expect([...ids]).toEqual(items.map(({ id }) => id?.N));
    expect(ordersOf(page)).toHaveLength(1_000);
  });

  it.each([
    ['is empty', ''],
    ['has nothing in it', '{}'],
    ['has no orders', '{"Count":2,"ScannedCount":2}'],
    ['lacks its only order', '{"Count":1,"ScannedCount":1}'],
    ['states no number', scanAnswer(orderItems(2)).replace('"Count":2,', '')],
    [
      'has fewer orders than it states',
      scanAnswer(orderItems(2)).replace('"Count":2', '"Count":3'),
    ],
    ['has more orders than it states', scanAnswer(orderItems(2)).replace('"Count":2', '"Count":1')],
    [
      'has fewer odd orders than it states',
      scanAnswer([orderItem(1, { shipDate: { NULL: true } })]).replace('"Count":1', '"Count":2'),
    ],
    ['lacks orders and has the number behind them', '{"Items":[{"id":{"N":"1"}}],"Count":2}'],
  ])('is not content with an answer of 200 that %s', async (_what, body) => {
    await startTable({ items: [] });
    table.reply = ({ outgoing }) => outgoing.writeHead(200, contentType).end(body);

    const error = await read().catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(ServiceUnavailableError);
    expect(String((error as Error).cause)).toMatch(
      /^Error: A page of orders has \d, and states (\d|no number)\.$/,
    );
  });

  it('writes a page to the memory that was released of the one before', async () => {
    await startTable({ items: orderItems(3) });
    const readPage = pageReader(client, 'orders');
    const first = await readPage({ signal });
    const [memory] = first.buffers.map(({ buffer }) => buffer);
    for (const buffer of first.buffers) first.release(buffer);

    const second = await readPage({ signal });

    expect(second.buffers[0]?.buffer).toBe(memory);
  });

  it('frees the memory of what has arrived, which the collector of garbage would not for long', async () => {
    await startTable({ items: orderItems(1_000) });
    const freed = jest.spyOn(ArrayBuffer.prototype, 'transfer');

    await read();

    expect(freed).toHaveBeenCalledWith(0);
    freed.mockRestore();
  });
});

describe('orderToJson, for what is not flat', () => {
  it('I1: leaves out what an order lacks', () => {
    expect(orderToJson({ id: { N: '1' }, complete: { BOOL: true } })).toBe(
      '{"id":1,"complete":true}',
    );
    expect(orderToJson({})).toBe('{}');
  });

  it.each(['1E+2', '1E2', '1e+12', '12345678901234567890123456789012345678'])(
    'passes the integer %s on as it is, since JSON has it too',
    (quantity) => {
      expect(orderToJson({ quantity: { N: quantity } })).toBe(`{"quantity":${quantity}}`);
    },
  );

  it.each<[string, OrderItem]>([
    ['a fraction', { quantity: { N: '1.5' } }],
    ['a fraction of several digits', { quantity: { N: '1.25' } }],
    ['a tiny fraction', { quantity: { N: '-1e-30' } }],
    ['a number as JSON does not have it', { quantity: { N: '007' } }],
    ['no number at all', { quantity: { N: 'NaN' } }],
    ['digits in a string', { quantity: { S: '3' } }],
    ['a set of numbers', { quantity: { NS: ['1', '2'] } }],
    ['an integer beyond int64', { petId: { N: '9223372036854775808' } }],
    ['a NULL', { petId: { NULL: true } }],
    ['a date that is a number', { shipDate: { N: '1795000000' } }],
    ['a map', { shipDate: { M: { S: { S: 'x' } } } }],
    ['a list', { shipDate: { L: [{ S: 'x' }] } }],
    ['bytes', { shipDate: { B: Buffer.from('x') } }],
    ['a truth value in a string', { complete: { S: 'true' } }],
    ['a type that nobody knows', { complete: { X: 1 } as never }],
  ])("I1: leaves out what is not of its field's type: %s", (_, attribute) => {
    expect(orderToJson({ id: { N: '1' }, ...attribute })).toBe('{"id":1}');
  });

  it.each(['1.5', '9223372036854775808', '-9223372036854775809', '1E+30'])(
    'refuses the id %s, which no order can have',
    (id) => {
      expect(() => orderToJson({ id: { N: id } })).toThrow(`no int64: {"N":"${id}"}`);
    },
  );
});

async function startTable(scanned: ScannedTable): Promise<void> {
  table = await DynamodbProxy.start(scanOf(scanned));
  Object.assign(process.env, functionEnvironment, { AWS_ENDPOINT_URL_DYNAMODB: table.url });
  client = createDynamoDbClient({ maxAttempts: 2, requestTimeoutMs: 5_000 });
}

function read(request: object = {}): Promise<OrdersPage> {
  return pageReader(client, 'orders')({ ...request, signal });
}

function ordersOf({ buffers }: OrdersPage): unknown {
  return parseExactly(`[${Buffer.concat(buffers).toString().slice(1)}]`);
}
