import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../lambdas/contract/item.ts';
import { isInt64, orderFieldNames } from '../../../lambdas/orders/order-fields.ts';
import type { Result } from '../console/command-io.ts';
import type { Call, Verb } from '../console/verb.ts';
import { noOrder, refuseUnlessId, repairOf, stateOf } from './change-orders.ts';
import { expectedOf, isAccepted, isKnown, jsonOf } from './order-values.ts';

export const show: Verb = {
  usage: 'show <orderId>',
  description: 'show everything that is stored about an order, and what the API leaves out',
  help: `The order is printed as JSON. Values that JSON does not have are in DynamoDB's own form, with bytes in base64.`,
  examples: ['orders show 1001 --stage prod'],
  run: showOrder,
};

async function showOrder({ stage }: Call, orderId = ''): Promise<Result> {
  refuseUnlessId(orderId);
  const { dynamodb, tableName: TableName } = stage.orders;
  const { Item: order } = await dynamodb.send(
    new GetItemCommand({
      TableName,
      Key: { id: { N: orderId } },
      ConsistentRead: true,
      ReturnConsumedCapacity: 'TOTAL',
    }),
  );
  if (!order) throw noOrder(orderId);
  const names = new Set([...orderFieldNames, 'status', ...Object.keys(order).sort()]);
  const stored = [...names].flatMap((name) => (order[name] ? [[name, jsonOf(order[name])]] : []));
  const value = { order: Object.fromEntries(stored), remarks: remarksOn(order) };
  return { value, text: [JSON.stringify(value.order, null, 2), ...value.remarks].join('\n\n') };
}

/** Why the API does not show an order as it is stored, or why clients cannot rely on it. */
function remarksOn(order: Item): string[] {
  const { id, status, complete } = order;
  if (!isInt64(id!.N!)) return ['The API leaves out this item, because its id is not an int64.'];
  const isShipped = status?.S === 'shipped';
  const leftOut = orderFieldNames.filter((name) => order[name] && !isAccepted(name, order[name]));
  const remarks = leftOut.map(
    (name) => `The API leaves out ${name}, because it is not ${expectedOf(name)}.`,
  );
  if (!isKnown(status)) {
    remarks.push(`Clients cannot cancel it, because it ${stateOf(order)}: ${repairOf(order)}.`);
  } else if (complete?.BOOL !== undefined && complete.BOOL !== isShipped) {
    remarks.push(
      `The API shows that complete is ${complete.BOOL}, but the order ${stateOf(order)}.`,
    );
  }
  return remarks;
}
