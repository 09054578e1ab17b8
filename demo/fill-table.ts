import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { OrderItem } from '../admin/orders/order-record.ts';
import type { OrdersTable } from '../admin/orders/orders-table.ts';

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
  table: OrdersTable,
  signal: AbortSignal,
): Promise<void> {
  // By id: a transaction cannot write the same item twice.
  const batch = new Map<string, OrderItem>();
  for await (const order of orders) {
    signal.throwIfAborted();
    batch.set(String(order.id), order);
    if (batch.size === transactionMaxItems) await write(batch, table);
  }
  if (batch.size > 0) await write(batch, table);
}

async function write(
  batch: Map<string, OrderItem>,
  { dynamodb, tableName: TableName }: OrdersTable,
): Promise<void> {
  const TransactItems = [...batch.values()].map((Item) => ({ Put: { TableName, Item } }));
  await dynamodb.send(new TransactWriteCommand({ TransactItems }));
  batch.clear();
}
