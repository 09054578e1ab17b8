import { setTimeout as sleep } from 'node:timers/promises';
import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { checkOrders } from '../admin/check-orders.ts';
import { OperatorError } from '../admin/errors.ts';
import { fileStart } from '../admin/file-records.ts';
import { loadOrders } from '../admin/load-orders.ts';
import { detectFormat, type OrderLine, readOrders } from '../admin/orders-file.ts';
import type { DataDirectory } from '../local/data-directory.ts';
import { sampleOrders } from './sample-orders.ts';

export interface OrdersTarget {
  readonly dynamodb: DynamoDBClient;
  readonly tableName: string;
  readonly directory: DataDirectory | undefined;
  readonly signal: AbortSignal;
}

const loadedFile = 'orders-loaded.json';

/**
 * Reads a whole orders file without loading it.
 *
 * @throws BadLineError at the first line that is not an order
 */
export async function checkOrdersFile(file: string, signal: AbortSignal): Promise<void> {
  const lines = readOrders(file, await detectFormat(file));
  await checkOrders(
    lines,
    (error) => {
      throw new OperatorError(`--orders ${file}: ${error.message}`, { cause: error });
    },
    undefined,
    signal,
  );
}

/**
 * Loads the orders of a file, or the sample, into a table that has never been loaded. A load that
 * was broken off is done again: it changes no order that is there already.
 *
 * @returns false when the table has its orders from an earlier run
 */
export async function provideOrders(
  file: string | undefined,
  { dynamodb, tableName, directory, signal }: OrdersTarget,
): Promise<boolean> {
  const isLoaded = directory
    ? directory.read(loadedFile) !== undefined
    : await hasItems(tableName, dynamodb);
  if (isLoaded) return false;
  const lines = file ? readOrders(file, await detectFormat(file)) : sampleLines();
  await loadOrders(lines, { dynamodb, tableName, wait: sleep, onError: 'stop', signal });
  signal.throwIfAborted();
  directory?.write(loadedFile, { loadedAt: new Date().toISOString() });
  return true;
}

async function hasItems(TableName: string, dynamodb: DynamoDBClient): Promise<boolean> {
  const { Items } = await dynamodb.send(new ScanCommand({ TableName, Limit: 1 }));
  return (Items ?? []).length > 0;
}

async function* sampleLines(): AsyncGenerator<OrderLine> {
  for (const [index, order] of sampleOrders().entries()) {
    yield { line: index + 1, end: fileStart, order };
  }
}
