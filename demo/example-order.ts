import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { OrdersTable } from '../admin/orders/orders-table.ts';

// Enough orders to find a pending one in most stores, and few enough for one short scan.
const readAtMost = 100;

/** The id of an example order, which is pending if possible; undefined if there are no orders. */
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
