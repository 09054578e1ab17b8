import {
  ScanCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { Item } from '../../lambdas/contract/item.ts';
import { readOrders } from '../admin/orders/orders-file.ts';
import type { OrdersTable } from '../admin/stage/stage-connection.ts';

// DynamoDB's limit for one transaction. A transaction takes a fraction of the time that single puts take.
const transactionMaxItems = 100;

const sampleCount = 1_000;
/** A pending order of the sample. The contract's examples use it, too. */
export const firstId = 1_001;
// Ids that a JavaScript number would round. All other ids are easy to type.
const largeIds = [2n ** 53n + 1n, 2n ** 63n - 1n];
const firstShipDate = Date.UTC(2026, 0, 5, 9, 30);
const hourMs = 3_600_000;

/**
 * Fills an empty table with the orders of a file, or with the sample. Orders of an earlier run, or of somebody else,
 * are kept.
 *
 * @param file the path of the file. @default - the sample
 * @param signal ends the loading when it is aborted
 * @returns whether the table was empty
 * @throws OperatorError if a line of the file is not an order
 */
export async function loadOrders(
  file: string | undefined,
  { dynamodb, tableName }: OrdersTable,
  signal: AbortSignal,
): Promise<boolean> {
  const scan = new ScanCommand({ TableName: tableName, Limit: 1 });
  if ((await dynamodb.send(scan)).Count !== 0) return false;
  const orders = file ? await readOrders(file, signal) : sampleOrders();
  let puts: TransactWriteItem[] = [];
  const insert = async () => {
    signal.throwIfAborted();
    await dynamodb.send(new TransactWriteItemsCommand({ TransactItems: puts }));
    puts = [];
  };
  for (const Item of orders) {
    puts.push({ Put: { TableName: tableName, Item } });
    if (puts.length === transactionMaxItems) await insert();
  }
  if (puts.length > 0) await insert();
  return true;
}

/** The sample, which is the same in each run. Two of three orders are pending, and the other orders have shipped. */
function sampleOrders(): Item[] {
  return Array.from({ length: sampleCount }, (_, index) => {
    const id = largeIds[sampleCount - 1 - index] ?? firstId + index;
    const shipDate = new Date(firstShipDate + index * 7 * hourMs).toISOString();
    return {
      id: { N: String(id) },
      petId: { N: String(1 + ((index * 37) % 400)) },
      quantity: { N: String(1 + (index % 5)) },
      // One order has no ship date, because clients have to accept absent fields.
      ...(index !== 3 && { shipDate: { S: shipDate.replace('.000Z', 'Z') } }),
      complete: { BOOL: index % 3 === 1 },
      status: { S: index % 3 === 1 ? 'shipped' : 'pending' },
    };
  });
}
