import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { OrdersTable } from '../admin/orders/orders-table.ts';

// Enough to meet a pending order in any store but a finished one, and little to read.
const readAtMost = 100;

/** The id of an order that can be cancelled, or of any, to show as an example; none in an empty store. */
export async function exampleOrderId({
  dynamodb,
  tableName,
}: OrdersTable): Promise<string | undefined> {
  const { Items: orders = [] } = await dynamodb.send(
    new ScanCommand({ TableName: tableName, Limit: readAtMost }),
  );
  const example = orders.find(({ status }) => status === 'pending') ?? orders[0];
  return example && String(example.id);
}
