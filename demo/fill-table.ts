import { type DynamoDBClient, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import type { OrderItem } from '../admin/orders/order-record.ts';

// DynamoDB's limit for one transaction.
const transactionMaxItems = 100;

/**
 * Writes orders into a table that nobody uses yet, in their order: of two with the same id the later
 * one stays.
 *
 * The embedded DynamoDB syncs its file once per transaction, which makes a hundred orders in one of
 * them several times as fast as any other way to write them.
 */
export async function fillTable(
  orders: AsyncIterable<OrderItem> | Iterable<OrderItem>,
  tableName: string,
  dynamodb: DynamoDBClient,
  signal: AbortSignal,
): Promise<void> {
  // By id: a transaction cannot write the same item twice.
  const batch = new Map<string, OrderItem>();
  for await (const order of orders) {
    signal.throwIfAborted();
    batch.set(order.id.N, order);
    if (batch.size === transactionMaxItems) await write(batch, tableName, dynamodb);
  }
  if (batch.size > 0) await write(batch, tableName, dynamodb);
}

async function write(
  batch: Map<string, OrderItem>,
  TableName: string,
  dynamodb: DynamoDBClient,
): Promise<void> {
  const TransactItems = [...batch.values()].map((Item) => ({ Put: { TableName, Item } }));
  await dynamodb.send(new TransactWriteItemsCommand({ TransactItems }));
  batch.clear();
}
