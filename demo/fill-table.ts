import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { OrderItem } from '../admin/orders/order-record.ts';
import type { OrdersTable } from '../admin/orders/orders-table.ts';

// DynamoDB's limit for one transaction.
const transactionMaxItems = 100;

/**
 * Inserts orders into a table. Orders that exist are not changed, because they may have been cancelled
 * since an earlier load was interrupted. Of two orders with the same id, the first is inserted.
 *
 * The orders are written in transactions of a hundred. The embedded DynamoDB syncs its file once per
 * transaction, so this is several times as fast as other operations.
 */
export async function fillTable(
  orders: AsyncIterable<OrderItem> | Iterable<OrderItem>,
  table: OrdersTable,
  signal: AbortSignal,
): Promise<void> {
  // The map is by id, because a transaction cannot write the same item twice.
  const batch = new Map<string, OrderItem>();
  for await (const order of orders) {
    signal.throwIfAborted();
    const id = String(order.id);
    if (!batch.has(id)) batch.set(id, order);
    if (batch.size < transactionMaxItems) continue;
    await insert([...batch.values()], table);
    batch.clear();
  }
  await insert([...batch.values()], table);
}

/** Inserts orders in a transaction. If some of them exist, it fails and is repeated without them. */
async function insert(orders: readonly OrderItem[], table: OrdersTable): Promise<void> {
  const { dynamodb, tableName: TableName } = table;
  if (orders.length === 0) return;
  const ConditionExpression = 'attribute_not_exists(id)';
  const TransactItems = orders.map((Item) => ({ Put: { TableName, Item, ConditionExpression } }));
  try {
    await dynamodb.send(new TransactWriteCommand({ TransactItems }));
  } catch (error) {
    const missing = orders.filter((_, index) => !wasThere(error, index));
    if (missing.length === orders.length) throw error;
    await insert(missing, table);
  }
}

function wasThere(error: unknown, index: number): boolean {
  if (!(error instanceof TransactionCanceledException)) return false;
  return error.CancellationReasons?.[index]?.Code === 'ConditionalCheckFailed';
}
