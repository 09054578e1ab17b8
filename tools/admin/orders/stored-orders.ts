import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  GetItemCommand,
  paginateScan,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../lambdas/domain/item.ts';
import { InvalidValueError, NotFoundError } from '../../shared/errors.ts';
import { type Condition, expressions } from '../stage/dynamodb-calls.ts';
import { UnconfirmedError } from '../stage/service-failure.ts';
import type { OrdersTable } from '../stage/stage-connection.ts';
import { isOrderId } from './order-json.ts';
import { fileFields } from './order-record.ts';

/** @throws InvalidValueError unless a word of the command line is a number */
export function refuseUnlessOrderId(word: string): void {
  if (isOrderId(word)) return;
  throw new InvalidValueError('order id', word, 'a number such as 1001, without leading zeros');
}

/** @throws OperatorError if the id is not a number, or there is no such order */
export async function findOrder(orderId: string, table: OrdersTable): Promise<Item> {
  refuseUnlessOrderId(orderId);
  const Key = { id: { N: orderId } };
  const get = new GetItemCommand({ TableName: table.tableName, Key, ConsistentRead: true });
  const { Item } = await table.dynamodb.send(get);
  if (Item) return Item;
  throw new NotFoundError(`No order has the id ${orderId}`);
}

/** Reads a table page by page, with consistent reads. @throws UnconfirmedError if a page lacks items */
export async function* scanOrders({ dynamodb, tableName }: OrdersTable): AsyncGenerator<Item[]> {
  const input = { TableName: tableName, ConsistentRead: true };
  for await (const { Items = [], Count } of paginateScan({ client: dynamodb }, input)) {
    if (Items.length !== Count) throw new UnconfirmedError('Scan');
    yield Items;
  }
}

/** The order after a change or before its deletion; or, if the condition failed, as it was found. */
export type WriteResult = { readonly order: Item } | { readonly found: Item | undefined };

/** Sets fields of an order in one conditional write. */
export async function updateOrder(
  { id }: Item,
  { set, where }: { set: Record<string, AttributeValue>; where: Condition },
  { dynamodb, tableName }: OrdersTable,
): Promise<WriteResult> {
  const change = expressions({ table: tableName, key: { id }, set, where });
  const input = { ...(change as UpdateItemCommand['input']), ReturnValues: 'ALL_NEW' as const };
  return resultOf('UpdateItem', dynamodb.send(new UpdateItemCommand({ ...input, ...foundItem })));
}

// DynamoDB allows 300 operators in a condition, and an equality with its AND are two of them.
const mostConditions = 150;

/** Deletes an order that still is as it was read, as far as one condition can say. */
export async function deleteOrder(
  order: Item,
  { dynamodb, tableName }: OrdersTable,
): Promise<WriteResult> {
  const names = [...new Set([...fileFields, ...Object.keys(order)])].slice(0, mostConditions);
  const conditions = names.map((name, index) =>
    order[name] ? `#${index} = :${index}` : `attribute_not_exists(#${index})`,
  );
  const values = names.map((name, index) => [`:${index}`, order[name]] as const);
  const command = new DeleteItemCommand({
    TableName: tableName,
    Key: { id: order.id! },
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name, index) => [`#${index}`, name])),
    ExpressionAttributeValues: Object.fromEntries(values.filter(([, value]) => value)) as Item,
    ReturnValues: 'ALL_OLD',
    ...foundItem,
  });
  return resultOf('DeleteItem', dynamodb.send(command));
}

const foundItem = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

/** @throws UnconfirmedError if the response does not contain the order */
async function resultOf(
  operation: string,
  sent: Promise<{ Attributes?: Item | undefined }>,
): Promise<WriteResult> {
  try {
    const { Attributes: order } = await sent;
    if (order) return { order };
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return { found: error.Item };
    throw error;
  }
  throw new UnconfirmedError(operation);
}
