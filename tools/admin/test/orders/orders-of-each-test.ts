import { isDeepStrictEqual } from 'node:util';
import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeEach } from '@jest/globals';
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
  /** Lets the commands act on another table, which is empty. */
  const useNewTable = async () => {
    stack.outputs.OrdersTableName = await database.createOrdersTable();
  };
  const withoutTarget = (text: string) => text.replaceAll(` --local ${proxy.url}`, '');
  /** Stores an item as another program could. */
  const put = (item: Item, TableName = table()) =>
    database.dynamodb.send(new PutItemCommand({ TableName, Item: item }));
  beforeEach(async () => {
    proxy.requests.length = 0;
    proxy.reply = forward;
    await useNewTable();
  });
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await database.stop();
  });
  return {
    database,
    directory,
    proxy,
    useNewTable,
    put,
    /** Leaves the address of the proxy out of the commands that the program quotes. */
    orders: async (words: string[], io?: AdminOptions) => {
      const run = await admin(['orders', ...words, '--local', proxy.url], io);
      return { ...run, stderr: withoutTarget(run.stderr), stdout: withoutTarget(run.stdout) };
    },
    stored: () => database.readAll(table()),
    /** Stores other attributes, or deletes the order, when the command first sends this operation for it. */
    meanwhile: (operation: string, id: string, attributes?: Item) => {
      const key = { id: { N: id } };
      let isDone = false;
      proxy.reply = async (call) => {
        if (call.operation === operation && isDeepStrictEqual(call.input.Key, key) && !isDone) {
          isDone = true;
          const deletion = new DeleteItemCommand({ TableName: table(), Key: key });
          await (attributes ? put({ ...key, ...attributes }) : database.dynamodb.send(deletion));
        }
        forward(call);
      };
    },
    file: (content: string | Buffer, name = 'orders.jsonl') => directory.write(name, content),
  };
}
