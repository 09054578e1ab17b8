import { type AttributeValue, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { isInt64 } from '../../lambdas/shared/order-id.ts';
import { InvalidValueError, NotFoundError } from '../../shared/errors.ts';
import type { OrdersTable } from './insert-orders.ts';

export type StoredOrder = Record<string, AttributeValue>;

/** @throws OperatorError when the id is no int64, or no order has it */
export async function findOrder(
  orderId: string,
  { dynamodb, tableName }: Pick<OrdersTable, 'dynamodb' | 'tableName'>,
): Promise<StoredOrder> {
  const Key = orderKey(orderId);
  const { Item } = await dynamodb.send(
    new GetItemCommand({ TableName: tableName, Key, ConsistentRead: true }),
  );
  if (Item) return Item;
  throw noSuchOrder(orderId);
}

export function orderKey(orderId: string): { id: { N: string } } {
  if (isInt64(orderId)) return { id: { N: orderId } };
  throw new InvalidValueError(
    'order id',
    orderId,
    'an integer from -9223372036854775808 to 9223372036854775807, without leading zeros',
  );
}

export function noSuchOrder(orderId: string): NotFoundError {
  return new NotFoundError(`No order has the id ${orderId}`);
}
