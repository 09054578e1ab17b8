import {
  type AttributeValue,
  ConditionalCheckFailedException,
  GetItemCommand,
  PutItemCommand,
  paginateScan,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../lambdas/contract/item.ts';
import { InterruptedError, InvalidValueError, NotFoundError } from '../../shared/errors.ts';
import type { CommandIo } from '../console/command-io.ts';
import { progressLine } from '../console/progress.ts';
import { counted } from '../console/view.ts';
import { type Condition, expressions } from '../stage/dynamodb-calls.ts';
import type { OrdersTable } from '../stage/stage-connection.ts';
import { isOrderId } from './order-json.ts';

/** @throws OperatorError if the id is not a number, or there is no such order */
export async function findOrder(orderId: string, table: OrdersTable): Promise<Item> {
  if (!isOrderId(orderId)) {
    const expected = 'a number such as 1001, without leading zeros';
    throw new InvalidValueError('order id', orderId, expected);
  }
  const order = await readOrder({ N: orderId }, table);
  if (order) return order;
  throw new NotFoundError(`No order has the id ${orderId}`);
}

/** Reads an order; undefined if there is none. */
export async function readOrder(
  id: AttributeValue,
  { dynamodb, tableName }: OrdersTable,
): Promise<Item | undefined> {
  const get = new GetItemCommand({ TableName: tableName, Key: { id }, ConsistentRead: true });
  return (await dynamodb.send(get)).Item;
}

/** Reads a table page by page with consistent reads, and shows the progress. @throws InterruptedError */
export async function* scanOrders(
  { dynamodb, tableName }: OrdersTable,
  io: CommandIo,
): AsyncGenerator<Item[]> {
  const input = { TableName: tableName, ConsistentRead: true };
  using progress = progressLine(io);
  let read = 0;
  for await (const { Items: page = [] } of paginateScan({ client: dynamodb }, input)) {
    if (io.interruption.aborted) {
      throw new InterruptedError('interrupted', { remedy: 'run the command again' });
    }
    yield page;
    read += page.length;
    progress.draw(`${counted(read, 'order')} read`);
  }
}

/** The order after a change. If the condition failed, `found` is the order as it is stored. */
export type WriteResult = { readonly order: Item } | { readonly found: Item | undefined };

/** Inserts an order. An existing order with the same id stays as it is. */
export async function insertOrder(order: Item, table: OrdersTable): Promise<WriteResult> {
  const input = {
    TableName: table.tableName,
    Item: order,
    ConditionExpression: 'attribute_not_exists(id)',
    ...foundItem,
  };
  return write(table.dynamodb.send(new PutItemCommand(input)), order);
}

/** Sets attributes of an order in one conditional write. */
export async function updateOrder(
  { id }: Item,
  { set, where }: { set: Record<string, AttributeValue>; where: Condition },
  table: OrdersTable,
): Promise<WriteResult> {
  const change = expressions({ table: table.tableName, key: { id }, set, where });
  const input = { ...(change as UpdateItemCommand['input']), ReturnValues: 'ALL_NEW' as const };
  return write(table.dynamodb.send(new UpdateItemCommand({ ...input, ...foundItem })));
}

const foundItem = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

async function write(sent: Promise<{ Attributes?: Item }>, inserted?: Item): Promise<WriteResult> {
  try {
    const { Attributes } = await sent;
    return { order: inserted ?? Attributes! };
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return { found: error.Item };
    throw error;
  }
}
