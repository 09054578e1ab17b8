import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeEach } from '@jest/globals';
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
  /** Stores an item as another program could. */
  const put = (Item: PutItemCommand['input']['Item'], TableName = table()) =>
    database.dynamodb.send(new PutItemCommand({ TableName, Item }));
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
    table,
    useNewTable,
    put,
    orders: (words: string[], io?: AdminOptions) =>
      admin(['orders', ...words, '--local', proxy.url], io),
    stored: () => database.readAll(table()),
    /** Stores another item when the command first sends this operation for the order. */
    meanwhile: (operation: string, order: NonNullable<PutItemCommand['input']['Item']>) => {
      let isDone = false;
      proxy.reply = async (call) => {
        const { Key } = call.input as { Key?: object };
        const isMeant = JSON.stringify(Key) === JSON.stringify({ id: order.id });
        if (call.operation === operation && isMeant && !isDone) {
          isDone = true;
          await put(order);
        }
        forward(call);
      };
    },
    file: (content: string | Buffer, name = 'orders.jsonl') => directory.write(name, content),
  };
}
