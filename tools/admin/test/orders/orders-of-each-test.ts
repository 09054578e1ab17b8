import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeEach, jest } from '@jest/globals';
import type { Item } from '../../../../lambdas/contract/item.ts';
import { DynamodbProxy, forward } from '../../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { startDynamoDb } from '../../../../test/helpers/dynamodb/embedded-dynamodb.ts';
import { temporaryDirectoryOfEachTest } from '../../../../test/helpers/temporary-directory.ts';
import { type AdminOptions, admin } from '../run-admin.ts';
import { stackOfEachTest } from '../stack.ts';

/** Gives each test of the calling file an empty table of orders, and runs `orders …` on it, through a proxy. */
export async function ordersOfEachTest() {
  const database = await startDynamoDb();
  const directory = temporaryDirectoryOfEachTest();
  const stack = stackOfEachTest();
  const proxy = await DynamodbProxy.before(database.endpoint);
  const table = () => stack.outputs.OrdersTableName!;
  const withoutTarget = (text: string) => text.replaceAll(` --local ${proxy.url}`, '');
  beforeEach(async () => {
    proxy.requests.length = 0;
    proxy.reply = forward;
    // The SDK's delay before it repeats a call is random, up to a limit.
    jest.spyOn(Math, 'random').mockReturnValue(0);
    stack.outputs.OrdersTableName = await database.createOrdersTable();
  });
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await database.stop();
  });
  return {
    proxy,
    /** Stores an item as another program could. */
    put: (item: Item) =>
      database.dynamodb.send(new PutItemCommand({ TableName: table(), Item: item })),
    /** Leaves the address of the proxy out of the commands that the program quotes. */
    orders: async (words: string[], io?: AdminOptions) => {
      const run = await admin(['orders', ...words, '--local', proxy.url], io);
      return { ...run, stderr: withoutTarget(run.stderr), stdout: withoutTarget(run.stdout) };
    },
    stored: () => database.readAll(table()),
    file: (content: string) => directory.write('orders.jsonl', content),
  };
}
