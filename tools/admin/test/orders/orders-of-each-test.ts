import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeEach, jest } from '@jest/globals';
import type { Item } from '../../../../lambdas/contract/item.ts';
import { DynamodbProxy, forward } from '../../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { startDynamoDb } from '../../../../test/helpers/dynamodb/embedded-dynamodb.ts';
import { temporaryDirectoryOfEachTest } from '../../../../test/helpers/temporary-directory.ts';
import { awsOfEachTest } from '../aws-of-each-test.ts';
import { type AdminOptions, admin } from '../run-admin.ts';

/** Gives each test of the calling file an empty table of orders, and runs `orders …` on it, through a proxy. */
export async function ordersOfEachTest() {
  const database = await startDynamoDb();
  const directory = temporaryDirectoryOfEachTest();
  const aws = awsOfEachTest();
  const proxy = await DynamodbProxy.before(database.endpoint);
  const TableName = await database.createOrdersTable();
  const stored = () => database.readAll(TableName);
  const withoutTarget = (text: string) => text.replaceAll(' --stage staging', '');
  beforeEach(async () => {
    for (const { id } of await stored()) {
      await database.dynamodb.send(new DeleteItemCommand({ TableName, Key: { id: id! } }));
    }
    proxy.requests.length = 0;
    proxy.reply = forward;
    process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
    aws.outputs!.OrdersTableName = TableName;
    // The SDK's delay before it repeats a call is random, up to a limit.
    jest.spyOn(Math, 'random').mockReturnValue(0);
  });
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await database.stop();
  });
  return {
    proxy,
    tableName: TableName,
    /** Stores an item as another program could. */
    put: (Item: Item) => database.dynamodb.send(new PutItemCommand({ TableName, Item })),
    /** Leaves the stage out of the commands that the program quotes. */
    orders: async (words: string[], io?: AdminOptions) => {
      const run = await admin(['orders', ...words, '--stage', 'staging'], io);
      return { ...run, stderr: withoutTarget(run.stderr), stdout: withoutTarget(run.stdout) };
    },
    stored,
    file: (content: string) => directory.write('orders.jsonl', content),
  };
}
