import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { orderFieldNames } from '../../../../lambdas/orders/order-fields.ts';
import { orderStatuses } from '../../../../lambdas/orders/order-states.ts';
import { contentType } from '../../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { orderItems, scanAnswer, splitArray } from '../../../../test/helpers/dynamodb/orders.ts';
import { type RunningStore, startStore } from './running-store.ts';

/*
 * The list as a client gets it from the deployed bundle. test/lambdas/list-orders.test.ts tests slow
 * clients, and a table that fails at once.
 */

let store: RunningStore;
let key: string;

beforeAll(async () => {
  store = await startStore();
  key = (await store.issue()).apiKey;
});

afterAll(() => store?.[Symbol.asyncDispose]());

const open = (encoding = 'identity') =>
  fetch(`${store.baseUrl}/store/orders`, {
    headers: { authorization: `Bearer ${key}`, 'accept-encoding': encoding },
  });

/** All ids, sorted and as one text, because a diff of two long lists would not be readable. */
function idsIn(body: string): string {
  const ids = splitArray(body).map((order) => /"id":(-?\d+)/.exec(order)?.[1]);
  return ids.sort().join();
}

it('R8, R11, I2: has all orders, digit for digit, of many pages and of every status, gzipped or not', async () => {
  const ids = [
    '0',
    '-1',
    '9007199254740993',
    '9223372036854775807',
    '-9223372036854775808',
    ...Array.from({ length: 400 }, (_, index) => String(1_000_000 + index)),
  ];
  const statuses = [...orderStatuses, 'never-used'];
  // A page of a scan contains 1 MB of items, including attributes that are not requested.
  const neverUsed = 'x'.repeat(8_000);
  const status = (index: number) => statuses[index % statuses.length]!;
  await store.putOrders(ids.map((id, index) => ({ id, status: status(index), neverUsed })));

  const plain = await open();
  const body = await plain.text();
  const zipped = await open('gzip');

  // R11 does not specify an order.
  expect(idsIn(body) === ids.toSorted().join()).toBe(true);
  const orders: object[] = JSON.parse(body);
  const shapes = new Set(orders.map((order) => Object.keys(order).join()));
  expect([...shapes]).toEqual([orderFieldNames.join()]);
  expect(orders[0]).toMatchObject({ petId: 7, quantity: 2, complete: false });
  expect(plain.headers.has('content-encoding')).toBe(false);
  expect(zipped.headers.get('content-encoding')).toBe('gzip');
  expect(idsIn(await zipped.text()) === idsIn(body)).toBe(true);
});

it('R10: can be larger than a buffered response', async () => {
  const page = scanAnswer(orderItems(5_000), '5000');
  let scans = 0;
  store.proxy.faults.set(store.ordersTable, ({ outgoing }) => {
    outgoing.writeHead(200, contentType).end(++scans > 30 ? scanAnswer([]) : page);
  });

  const list = await open();
  const body = await list.text();

  expect([list.status, body.at(-1)]).toEqual([200, ']']);
  expect(body.length).toBeGreaterThan(10 * 2 ** 20);
});
