import { resolve } from 'node:path';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { checkOrders } from '../admin/orders/check-orders.ts';
import type { OrderItem } from '../admin/orders/order-record.ts';
import { detectFormat, readOrders } from '../admin/orders/orders-file.ts';
import type { OrdersTable } from '../admin/orders/orders-table.ts';
import { type BadLineError, OperatorError } from '../shared/errors.ts';
import { fillTable } from './fill-table.ts';
import { LoadMarker } from './load-marker.ts';
import { sampleOrders } from './sample-orders.ts';

// This cannot be the name of a file, because files are recorded by their absolute paths.
const sampleName = 'the sample';

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
 * Loads the orders of a file or the sample, if the table is empty and has never been loaded. A load
 * that was interrupted is repeated from its beginning, and does not change orders that exist.
 *
 * @returns false when the table already has orders
 * @throws OperatorError when an earlier load from another source was interrupted
 */
export async function provideOrders(
  file: string | undefined,
  table: OrdersTable,
  signal: AbortSignal,
): Promise<boolean> {
  const source = file ? resolve(file) : sampleName;
  const marker = await LoadMarker.of(table);
  const mark = await marker.read();
  if (mark ? mark.isComplete : await hasItems(table)) return false;
  if (mark && mark.source !== source) throw incompleteLoad(mark.source);
  await marker.write({ source, isComplete: false });
  await fillTable(file ? ordersOf(file) : sampleOrders(), table, signal);
  await marker.write({ source, isComplete: true });
  return true;
}

function incompleteLoad(source: string): OperatorError {
  const again = source === sampleName ? 'without --orders' : `with --orders ${source}`;
  return new OperatorError(
    `--orders: an earlier run was stopped while it loaded ${source}: start ${again} to complete ` +
      'that, or name an empty --data directory or DYNAMODB_ENDPOINT',
  );
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
