import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, NumberValue } from '@aws-sdk/lib-dynamodb';
import { isInt64 } from '../../../lambdas/shared/order-fields.ts';
import { InvalidValueError, NotFoundError } from '../../shared/errors.ts';

/** A table of orders, and its client. */
export interface OrdersTable {
  /** A client that reads every number as a `NumberValue`, which is exact. */
  readonly documents: DynamoDBDocumentClient;
  readonly tableName: string;
}

/** A stored order. It can have attributes that another program has stored. */
export type StoredOrder = Readonly<Record<string, unknown>>;

/** Creates the document client for orders. @param client its creator destroys it */
export function ordersTable(client: DynamoDBClient, tableName: string): OrdersTable {
  // A JavaScript number would round integers above 2^53.
  const unmarshallOptions = { wrapNumbers: true };
  return { documents: DynamoDBDocumentClient.from(client, { unmarshallOptions }), tableName };
}

/** Finds an order. @throws OperatorError if the id is not an int64, or there is no such order */
export async function findOrder(
  orderId: string,
  { documents, tableName }: OrdersTable,
): Promise<StoredOrder> {
  const Key = orderKey(orderId);
  const get = new GetCommand({ TableName: tableName, Key, ConsistentRead: true });
  const { Item } = await documents.send(get);
  if (Item) return Item;
  throw new NotFoundError(`No order has the id ${orderId}`);
}

/** The key of an order in the table. @throws OperatorError if the id is not an int64 */
function orderKey(orderId: string): { id: NumberValue } {
  if (isInt64(orderId)) return { id: NumberValue.from(orderId) };
  throw new InvalidValueError(
    'order id',
    orderId,
    'an integer from -9223372036854775808 to 9223372036854775807, without leading zeros',
  );
}
