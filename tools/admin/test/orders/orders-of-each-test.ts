import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach } from '@jest/globals';
import { embeddedDynamoDbOfFile } from '../../../../test/helpers/dynamodb/embedded-dynamodb.ts';
import { temporaryDirectoryOfEachTest } from '../../../../test/helpers/temporary-directory.ts';
import { type AdminOptions, admin } from '../run-admin.ts';
import { stackOfEachTest } from '../stack.ts';

/** Gives each test of the calling file an empty table of orders, and runs `orders …` on it. */
export function ordersOfEachTest() {
  const database = embeddedDynamoDbOfFile();
  const directory = temporaryDirectoryOfEachTest();
  const stack = stackOfEachTest();
  const table = () => stack.outputs.OrdersTableName!;
  /** Lets the commands act on another table, which is empty. */
  const useNewTable = async () => {
    stack.outputs.OrdersTableName = await database.createOrdersTable();
  };
  beforeEach(useNewTable);
  return {
    database,
    directory,
    table,
    useNewTable,
    orders: (words: string[], io?: AdminOptions) =>
      admin(['orders', ...words, '--local', database.endpoint], io),
    stored: () => database.readAll(table()),
    /** Stores an item as another program could. */
    put: (Item: PutItemCommand['input']['Item'], TableName = table()) =>
      database.dynamodb.send(new PutItemCommand({ TableName, Item })),
    file: (content: string | Buffer, name = 'orders.jsonl') => directory.write(name, content),
  };
}
