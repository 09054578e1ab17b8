import { GetCommand, NumberValue } from '@aws-sdk/lib-dynamodb';
import { isInt64 } from '../../../lambdas/domain/order-fields.ts';
import { InvalidValueError, NotFoundError } from '../../shared/errors.ts';
import type { OrdersTable } from '../stage/orders-table.ts';

/** A stored order. It can have attributes that another program has stored. */
export type StoredOrder = Readonly<Record<string, unknown>>;

/** Finds an order. @throws OperatorError if the id is not an int64, or there is no such order */
export async function findOrder(
  orderId: string,
  { documents, tableName }: OrdersTable,
): Promise<StoredOrder> {
  if (!isInt64(orderId)) {
    const expected =
      'an integer from -9223372036854775808 to 9223372036854775807, without leading zeros';
    throw new InvalidValueError('order id', orderId, expected);
  }
  const Key = { id: NumberValue.from(orderId) };
  const get = new GetCommand({ TableName: tableName, Key, ConsistentRead: true });
  const { Item } = await documents.send(get);
  if (Item) return Item;
  throw new NotFoundError(`No order has the id ${orderId}`);
}
