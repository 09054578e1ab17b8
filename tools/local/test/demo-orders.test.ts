import { beforeEach, describe, expect, it } from '@jest/globals';
import { embeddedDynamoDbOfFile } from '../../../test/helpers/dynamodb/embedded-dynamodb.ts';
import { temporaryDirectoryOfEachTest } from '../../../test/helpers/temporary-directory.ts';
import type { OrdersTable } from '../../admin/stage/stage-connection.ts';
import { firstId, loadOrders } from '../demo-orders.ts';

const database = embeddedDynamoDbOfFile();
const directory = temporaryDirectoryOfEachTest();
let table: OrdersTable;

beforeEach(async () => {
  table = { dynamodb: database.dynamodb, tableName: await database.createOrdersTable() };
});

const { signal: unstopped } = new AbortController();
const load = (lines: readonly string[], signal = unstopped) =>
  loadOrders(directory.write('orders.jsonl', lines.join('\n')), table, signal);
const items = () => database.readAll(table.tableName);
const statuses = async () =>
  Object.fromEntries((await items()).map(({ id, status }) => [id!.N, status?.S]));

describe('the orders of a local run', () => {
  it('are a thousand in an empty store, two thirds of them pending, and one without a ship date', async () => {
    await loadOrders(undefined, table, unstopped);

    const stored = await items();
    expect((await statuses())[firstId]).toBe('pending');
    for (const order of stored) expect(order.complete!.BOOL).toBe(order.status!.S === 'shipped');
    expect(stored.filter(({ shipDate }) => !shipDate)).toHaveLength(1);
    expect(stored.filter(({ status }) => status!.S === 'pending')).toHaveLength(667);
    const ids = stored.map(({ id }) => BigInt(id!.N!)).sort((one, other) => Number(one - other));
    const ordinary = Array.from({ length: 998 }, (_, index) => BigInt(1_001 + index));
    expect(ids).toEqual([...ordinary, 9007199254740993n, 9223372036854775807n]);
  });

  it('stay as they are in a store that has any', async () => {
    await load(['{"id":1001,"complete":true}']);

    expect(await loadOrders(undefined, table, unstopped)).toBe(false);
    expect(await load(['{"id":1001}', '{"id":2}'])).toBe(false);

    expect(await statuses()).toEqual({ 1001: 'shipped' });
  });

  it('are not loaded if a line is bad, or when the start is stopped', async () => {
    await expect(load(['{"id":1}', '{"id":1.5}', 'x'])).rejects.toThrow(
      /orders\.jsonl: line 2: id: 1\.5 is not accepted; .*; nothing was written/,
    );
    await expect(load(['{"id":1}'], AbortSignal.abort())).rejects.toThrow();

    expect(await items()).toEqual([]);
  });
});
