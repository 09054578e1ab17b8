import { isDeepStrictEqual } from 'node:util';
import { ConditionalCheckFailedException, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../lambdas/contract/item.ts';
import { orderStatuses } from '../../../lambdas/orders/order-states.ts';
import type { Result } from '../console/command-io.ts';
import type { Call, Verb } from '../console/verb.ts';
import { counted, grouped } from '../console/view.ts';
import type { OrdersTable } from '../stage/stage-connection.ts';
import { everyOrder } from './every-order.ts';
import { readOrders } from './orders-file.ts';

const importHelp = `The file has one order on each line:
  {"id":1001,"petId":7,"quantity":2,"shipDate":"2026-11-20T09:30:00Z"}
Only id is required. A line can also have "complete", which is true for shipped orders only, and "status" \
(${orderStatuses.join(', ')}). Without a status, a complete order becomes shipped, and any other order pending.

If a line is bad, the command creates no order. An order that exists stays as it is. If the command is interrupted, \
run it again.`;

export const importOrders: Verb = {
  usage: 'import <file>',
  description: 'create the orders of a file, or of standard input with -',
  help: importHelp,
  examples: ['orders import orders.jsonl --stage staging'],
  run: importFile,
};

async function importFile(call: Call, path = ''): Promise<Result> {
  const orders = await readOrders(path, call.io.interruption, call.io.stdin);
  const results = await everyOrder(orders, (order) => isCreated(order, call.stage.orders));
  const imported = results.filter((isNew) => isNew).length;
  const alreadyThere = results.length - imported;
  const others = alreadyThere > 0 ? `; ${grouped(alreadyThere)} already there` : '';
  return {
    value: { imported, alreadyThere },
    text: `Imported ${counted(imported, 'order')}${others}.`,
  };
}

/** Creates an order. Returns false if the order exists. An existing order stays as it is. */
async function isCreated(Item: Item, { dynamodb, tableName }: OrdersTable): Promise<boolean> {
  const put = new PutItemCommand({
    TableName: tableName,
    Item,
    ConditionExpression: 'attribute_not_exists(id)',
    ReturnConsumedCapacity: 'TOTAL',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    await dynamodb.send(put);
    return true;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    // If the orders are equal, an earlier attempt has created this order, and the response to it was lost.
    return (error.$metadata.attempts ?? 1) > 1 && isDeepStrictEqual(error.Item, Item);
  }
}
