import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type OrdersTable, ordersTable } from '../../admin/orders/orders-table.ts';
import { provideOrders } from '../../demo/demo-orders.ts';
import { sampleOrders } from '../../demo/sample-orders.ts';
import { embeddedDynamoDbOfFile } from '../helpers/dynamodb/embedded-dynamodb.ts';
import { temporaryDirectoryOfEachTest } from '../helpers/temporary-directory.ts';

const database = embeddedDynamoDbOfFile();
const directory = temporaryDirectoryOfEachTest();
let table: OrdersTable;

beforeEach(async () => {
  table = ordersTable(database.dynamodb, await database.createOrdersTable());
});

const goingOn = new AbortController().signal;
const fileOf = (count: number) => {
  const lines = Array.from({ length: count }, (_, id) => `{"id":${id},"status":"pending"}\n`);
  return directory.write(`${count}.jsonl`, lines.join(''));
};
const provide = (file?: string, signal = goingOn) => provideOrders(file, table, signal);
const items = () => database.readAll(table.tableName);
const ids = async () => (await items()).map(({ id }) => Number(id!.N)).sort((a, b) => a - b);

/** Cancels an order as the service does. */
async function cancel(id: string): Promise<void> {
  await database.dynamodb.send(
    new UpdateItemCommand({
      TableName: table.tableName,
      Key: { id: { N: id } },
      UpdateExpression: 'SET #status = :cancelled',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':cancelled': { S: 'cancelled' } },
    }),
  );
}

/** Loads a part of a file, as a run that is killed meanwhile. */
async function breakOff(file: string): Promise<void> {
  const stopping = new AbortController();
  let sent = 0;
  const stopAfterOne = {
    ...table,
    dynamodb: Object.create(table.dynamodb, {
      send: {
        value: async (command: Parameters<typeof table.dynamodb.send>[0]) => {
          const isOrders = 'TransactItems' in command.input;
          if (isOrders && ++sent === 2) stopping.abort();
          stopping.signal.throwIfAborted();
          return table.dynamodb.send(command);
        },
      },
    }),
  };
  await expect(provideOrders(file, stopAfterOne, stopping.signal)).rejects.toThrow();
}

describe('the orders of a local run', () => {
  it('are the sample in a table that is empty', async () => {
    expect(await provide()).toBe(true);

    expect(await items()).toHaveLength(sampleOrders().length);
  });

  it('are those of an earlier run where there was one, whatever has become of them', async () => {
    await provide(fileOf(3));
    await cancel('1');

    const isLoaded = [await provide(), await provide(fileOf(5))];

    expect(isLoaded).toEqual([false, false]);
    expect(await ids()).toEqual([0, 1, 2]);
    expect((await items()).find(({ id }) => id!.N === '1')!.status).toEqual({ S: 'cancelled' });
  });

  it('are left alone where somebody else has put them', async () => {
    await cancel('77');

    expect(await provide()).toBe(false);

    expect(await ids()).toEqual([77]);
  });

  it('are completed after a load that was broken off, without changing what is there', async () => {
    const file = fileOf(350);
    await breakOff(file);
    const before = await ids();
    await cancel('5');

    const isLoaded = await provide(file);

    expect(before).toHaveLength(100);
    expect(isLoaded).toBe(true);
    expect(await ids()).toHaveLength(350);
    expect((await items()).find(({ id }) => id!.N === '5')!.status).toEqual({ S: 'cancelled' });
    expect(await provide(file)).toBe(false);
  });

  it('are not mixed with others after a load that was broken off', async () => {
    const file = fileOf(350);
    await breakOff(file);

    await expect(provide()).rejects.toThrow(
      `an earlier run was stopped while it loaded ${file}: start with --orders ${file} to complete`,
    );
    expect(await ids()).toHaveLength(100);
  });

  it('are the first of those with the same id', async () => {
    await provide(directory.write('two.jsonl', '{"id":1,"petId":1}\n{"id":1,"petId":2}\n'));

    expect(await items()).toEqual([expect.objectContaining({ petId: { N: '1' } })]);
  });
});
