import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { checkOrders } from '../admin/orders/check-orders.ts';
import type { OrderItem } from '../admin/orders/order-record.ts';
import { detectFormat, readOrders } from '../admin/orders/orders-file.ts';
import type { OrdersTable } from '../admin/orders/orders-table.ts';
import type { DataDirectory } from '../local/state/data-directory.ts';
import { type BadLineError, OperatorError } from '../shared/errors.ts';
import { fillTable } from './fill-table.ts';
import { sampleOrders } from './sample-orders.ts';

export interface OrdersTarget extends OrdersTable {
  readonly directory: DataDirectory | undefined;
  readonly signal: AbortSignal;
}

const loadedFile = 'orders-loaded.json';

/**
 * Reads a whole orders file without loading it.
 *
 * @throws OperatorError at the first line that is not an order
 */
export async function checkOrdersFile(file: string, signal: AbortSignal): Promise<void> {
  try {
    const lines = readOrders(file, await detectFormat(file));
    await checkOrders(lines, refuse, undefined, signal);
  } catch (cause) {
    if (!(cause instanceof OperatorError)) throw cause;
    throw new OperatorError(`--orders ${file}: ${cause.message}`, { cause });
  }
}

function refuse(error: BadLineError): never {
  throw error;
}

/**
 * Loads the orders of a file, or the sample, into a table that has never been loaded. A load that
 * was broken off is done again from its beginning.
 *
 * @returns false when the table has its orders from an earlier run
 */
export async function provideOrders(
  file: string | undefined,
  { directory, signal, ...table }: OrdersTarget,
): Promise<boolean> {
  const isLoaded = directory ? directory.read(loadedFile) !== undefined : await hasItems(table);
  if (isLoaded) return false;
  const orders = file ? ordersOf(file) : sampleOrders();
  await fillTable(orders, table, signal);
  directory?.write(loadedFile, { loadedAt: new Date().toISOString() });
  return true;
}

async function* ordersOf(file: string): AsyncGenerator<OrderItem> {
  for await (const line of readOrders(file, await detectFormat(file))) {
    if ('error' in line) throw line.error;
    yield line.order;
  }
}

async function hasItems({ dynamodb, tableName }: OrdersTable): Promise<boolean> {
  const { Count = 0 } = await dynamodb.send(new ScanCommand({ TableName: tableName, Limit: 1 }));
  return Count > 0;
}
