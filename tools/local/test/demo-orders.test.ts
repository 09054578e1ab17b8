import { beforeEach, describe, expect, it } from '@jest/globals';
import { orderFieldNames } from '../../../lambdas/domain/order-fields.ts';
import { embeddedDynamoDbOfFile } from '../../../test/helpers/dynamodb/embedded-dynamodb.ts';
import { temporaryDirectoryOfEachTest } from '../../../test/helpers/temporary-directory.ts';
import type { OrdersTable } from '../../admin/stage/stage-connection.ts';
import { exampleOrderId, loadFile, loadSample } from '../demo-orders.ts';

const database = embeddedDynamoDbOfFile();
const directory = temporaryDirectoryOfEachTest();
const goingOn = new AbortController().signal;
let table: OrdersTable;
let told: string[];

beforeEach(async () => {
  told = [];
  table = { dynamodb: database.dynamodb, tableName: await database.createOrdersTable() };
});

const load = (...lines: string[]) =>
  loadFile(directory.write('orders.jsonl', lines.join('\n')), table, goingOn, tell);
const tell = (line: string) => void told.push(line);
const items = () => database.readAll(table.tableName);
const statuses = async () =>
  Object.fromEntries((await items()).map(({ id, status }) => [id!.N, status?.S]));

describe('the orders of a local run', () => {
  it('are a thousand in an empty table, and two thirds of them are pending', async () => {
    await loadSample(table);

    const stored = await items();
    expect(stored).toHaveLength(1_000);
    const isWhole = (order: object) => orderFieldNames.every((name) => name in order);
    for (const order of stored) expect(order.complete!.BOOL).toBe(order.status!.S === 'shipped');
    expect(stored.filter((order) => !isWhole(order))).toEqual([
      expect.not.objectContaining({ shipDate: expect.anything() }),
    ]);
    expect(stored.filter(({ status }) => status!.S === 'pending')).toHaveLength(667);
    const ids = stored.map(({ id }) => BigInt(id!.N!)).sort((one, other) => Number(one - other));
    const ordinary = Array.from({ length: 998 }, (_, index) => BigInt(1_001 + index));
    expect(ids).toEqual([...ordinary, 9007199254740993n, 9223372036854775807n]);
  });

  it('are left alone if there are any, whatever their status', async () => {
    await load('{"id":1001,"complete":true}');

    await loadSample(table);

    expect(await statuses()).toEqual({ 1001: 'shipped' });
  });

  it('are no longer loaded when the start is stopped', async () => {
    const file = directory.write('orders.jsonl', '{"id":1}');

    await expect(loadFile(file, table, AbortSignal.abort(), tell)).rejects.toThrow('aborted');
  });

  it('are refused with the file, the bad lines, and no option of another command', async () => {
    const file = /.+orders\.jsonl/.source;

    await expect(load('{"id":1}', '{"id":1.5}', '\u009b')).rejects.toThrow(
      new RegExp(`^--orders ${file}: 2 bad lines and 1 good line$`),
    );

    expect(told).toEqual([
      expect.stringMatching(`^${file}: line 2: id: 1\\.5 is not accepted`),
      expect.stringMatching(`^${file}: line 3: is not JSON`),
    ]);
    expect(told.join('')).not.toMatch(/\p{Cc}/u);
    expect(await items()).toEqual([]);
  });

  it('are all loaded from a file of many', async () => {
    const ids = Array.from({ length: 250 }, (_, index) => `${index}`);

    await load(...ids.map((id) => `{"id":${id}}`));

    expect((await items()).map(({ id }) => id!.N).sort()).toEqual(ids.toSorted());
  });

  it('have shipped if they are complete, and are not changed if they differ', async () => {
    await load('{"id":1,"complete":true}', '{"id":2,"quantity":4}');

    await load('{"id":1,"complete":false}', '{"id":2,"quantity":5}', '{"id":3}');

    expect(await statuses()).toEqual({ 1: 'shipped', 2: 'pending', 3: 'pending' });
    expect(told).toEqual([
      expect.stringMatching('2 orders not changed: the table has other values'),
    ]);
  });
});

describe('the example order of the page', () => {
  it('is a pending order, with every digit of its id', async () => {
    await load('{"id":1,"status":"shipped"}', '{"id":9007199254740993}');

    expect(await exampleOrderId(table)).toBe('9007199254740993');
  });

  it('is any order if none is pending, and missing in an empty store', async () => {
    expect(await exampleOrderId(table)).toBeUndefined();

    await load('{"id":1,"complete":true}');

    expect(await exampleOrderId(table)).toBe('1');
  });
});
