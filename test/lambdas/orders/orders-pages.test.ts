import type { DynamoDBClient, ScanCommandInput } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ApiError } from '../../../lambdas/contract/errors.ts';
import { orderFieldNames } from '../../../lambdas/orders/order-fields.ts';
import { type OrdersPage, orderToJson, pageReader } from '../../../lambdas/orders/orders-pages.ts';
import { createDynamoDbClient } from '../../../lambdas/runtime/dynamodb.ts';
import { contentType, DynamodbProxy, type Reply } from '../../helpers/dynamodb/dynamodb-proxy.ts';
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
const wrongItems = orderItems(1_000, 5_000n);
let table: DynamodbProxy;
let client: DynamoDBClient;

afterEach(async () => {
  client.destroy();
  await table[Symbol.asyncDispose]();
});

describe('pageReader', () => {
  it('requests exactly the fields of an order, whatever words DynamoDB reserves, and the latest writes', async () => {
    await startTable({ items: orderItems(3) });

    await read();

    const { TableName, ConsistentRead, ProjectionExpression, ExpressionAttributeNames } = table
      .requests[0]!.input as Partial<ScanCommandInput>;
    const asked = ProjectionExpression?.split(', ').map((name) => ExpressionAttributeNames?.[name]);
    expect([TableName, ConsistentRead]).toEqual(['orders', true]);
    expect(asked).toEqual(orderFieldNames);
  });

  it('requests the page of a segment that follows a key', async () => {
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
        orderItem(4, { status: { S: '"\\ü🐕' } }),
      ];
      await startTable({ items, chunkBytes });

      const page = await read();

      expect(ordersOf(page)).toEqual(plainOrders(items));
      expect(page.lastEvaluatedKey).toBeUndefined();
    },
  );

  it.each([
    ['as DynamoDB writes it', ''],
    ['with spaces, which only the SDK reads', ' '],
  ])('leaves out an item whose id is not an int64, in a page %s', async (_what, space) => {
    await startTable({ items: [] });
    const items = ['1', '1.5', '2'].map((id) => orderItem(id));
    const body = JSON.stringify(JSON.parse(scanAnswer(items)), null, space);
    table.reply = ({ outgoing }) => outgoing.writeHead(200, contentType).end(body);

    const page = await read();

    expect(page).toMatchObject({ count: 2, unlistedIds: ['1.5'] });
    expect(ordersOf(page)).toMatchObject([{ id: 'number 1' }, { id: 'number 2' }]);
  });

  it.each<[string, Reply]>([
    [
      'ends prematurely',
      ({ outgoing }) => outgoing.write(scanAnswer(wrongItems), () => outgoing.destroy()),
    ],
    [
      'lacks only its last byte',
      ({ outgoing }) =>
        outgoing.writeHead(200, contentType).end(scanAnswer(wrongItems).slice(0, -1)),
    ],
  ])(
    'repeats the request if a response %s, and uses no part of that response',
    async (_what, reply) => {
      const items = orderItems(1_000);
      await startTable({ items });
      table.next.push(reply);

      const page = await read();

      expect(table.requests).toHaveLength(2);
      expect(page.count).toBe(1_000);
      expect(ordersOf(page)).toEqual(plainOrders(items));
    },
  );

  it.each([
    ['is empty', ''],
    ['states no count', scanAnswer(orderItems(2)).replace('"Count":2,', '')],
    [
      'has fewer orders than it states',
      scanAnswer(orderItems(2)).replace('"Count":2', '"Count":3'),
    ],
    ['lacks orders and states the count after them', '{"Items":[{"id":{"N":"1"}}],"Count":2}'],
  ])('throws if a response with status 200 %s', async (_what, body) => {
    await startTable({ items: [] });
    table.reply = ({ outgoing }) => outgoing.writeHead(200, contentType).end(body);

    const error = await read().catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 'service_unavailable' });
    expect(String((error as Error).cause)).toMatch(
      /^Error: A page has \d items, and its Count is (\d|undefined)\.$/,
    );
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

function plainOrders(items: OrderItem[]): unknown {
  return parseExactly(`[${items.map((item) => orderToJson(item))}]`);
}

function ordersOf({ orders }: OrdersPage): unknown {
  return parseExactly(`[${orders.toString().slice(1)}]`);
}
