import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stackName } from '../../../lib/settings/names.ts';
import { executedAndLost } from '../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import {
  differences,
  grantsOf,
  type RecordingProxy,
  recordingProxy,
} from '../../admin/test/policies.ts';
import { type RunningStore, startStore } from '../../local/test/e2e/running-store.ts';

let store: RunningStore;
let proxy: RecordingProxy;
let example: typeof import('../store-system.ts');
let lastId = 9_007_199_254_750_000n;

beforeAll(async () => {
  store = await startStore();
  proxy = await recordingProxy(store.service.origin, stackName('staging'));
  Object.assign(process.env, {
    ORDERS_TABLE: store.ordersTable,
    AWS_ENDPOINT_URL: proxy.url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  });
  example = await import('../store-system.ts');
});

afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await store?.[Symbol.asyncDispose]();
});

const newOrder = (checkoutId = 'checkout') => ({
  id: ++lastId,
  petId: 7n,
  checkoutId,
  lines: ['a'],
});

/** Creates an order. @returns its id */
async function pending(): Promise<bigint> {
  const order = newOrder();
  await example.createOrder(order);
  return order.id;
}

describe("the example for the store's own system", () => {
  it('tells one of two checkouts that it created an order, and tells this checkout so again', async () => {
    const [first, other] = [newOrder('first'), newOrder('other')];
    const twice = [first, { ...other, id: first.id }];

    const created = await Promise.all(twice.map(example.createOrder));
    const again = await Promise.all(twice.map(example.createOrder));
    proxy.next.push(executedAndLost);
    const afterLostResponse = await example.createOrder(newOrder());

    expect(created.toSorted()).toEqual([false, true]);
    expect(again).toEqual(created);
    expect(afterLostResponse).toBe(true);
  });

  it('tells one of two shipments that it is `shipped`, and tells this shipment so again', async () => {
    const id = await pending();
    const ship = (shipmentId: string) => example.shipOrder(id, 'dispatch', shipmentId);

    const told = await Promise.all(['north', 'south'].map(ship));
    await example.noteWarehouse(id, 'north');
    const again = await Promise.all(['north', 'south'].map(ship));
    proxy.next.push(executedAndLost);
    const afterLostResponse = await example.shipOrder(await pending(), 'dispatch', 'one');

    expect(told.toSorted()).toEqual(['another shipment', 'shipped']);
    expect(again).toEqual(told);
    expect(afterLostResponse).toBe('shipped');
  });

  it('ships no order that a client has cancelled, and no client cancels an order that has shipped', async () => {
    const { apiKey } = await store.issue();
    const headers = { Authorization: `Bearer ${apiKey}` };
    const send = (path: string, method = 'GET') =>
      fetch(`${store.baseUrl}/store/orders${path}`, { method, headers });
    const [cancelled, shipped] = [await pending(), await pending()];

    const first = await send(`/${cancelled}`, 'DELETE');
    const told = [await example.shipOrder(cancelled, 'dispatch', 'one')];
    told.push(await example.shipOrder(shipped, 'dispatch', 'two'));
    const second = await send(`/${shipped}`, 'DELETE');

    expect([first.status, told, second.status]).toEqual([204, ['cancelled', 'shipped'], 409]);
    const list = await (await send('')).text();
    expect(list).toMatch(new RegExp(`"id":${shipped},[^}]*"complete":true`));
    expect(list).toMatch(new RegExp(`"id":${cancelled},[^}]*"complete":false`));
  });

  it('ships and changes no order that does not exist', async () => {
    expect(await example.shipOrder(1n, 'dispatch', 'one')).toBeUndefined();
    await expect(example.noteWarehouse(1n, 'north')).rejects.toThrow('conditional');
  });

  it('makes the calls that docs/iam/writer-policy.json allows, and no others', () => {
    const grants = grantsOf('writer-policy.json', 'staging');

    expect(differences(proxy.calls, grants)).toEqual({ refused: [], unused: [] });
  });
});
