import { randomBytes } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import type { OrderStatus } from '../../../lambdas/domain/order-states.ts';
import { InterruptedError, OperatorError, reasonOf } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import type { Screen } from '../console/command-io.ts';
import { counted } from '../console/view.ts';
import { scanPages } from '../stage/dynamodb-calls.ts';
import type { OrdersTable } from '../stage/orders-table.ts';
import { failureOf } from '../stage/service-failure.ts';
import { csvHeader, orderCsv } from './order-csv.ts';
import { formatOf, type OrdersFormat, refuseUnlessFile } from './orders-file.ts';
import { storedOrderJson } from './stored-order-json.ts';

export interface ExportRequest {
  /** @default - by the name of the file */
  format?: OrdersFormat;
  /** The path of a file, which appears when it is complete. @default - standard output */
  out?: string | undefined;
  /** The status of the exported orders. @default - all orders */
  status?: OrderStatus;
}

/**
 * Writes orders to a file or to standard output, in no particular order, in constant memory. An order is
 * exported as it is when its page is read.
 *
 * @param onProgress called with the number of exported orders
 * @param signal ends the export, and removes the incomplete file
 * @throws InterruptedError if the signal has ended it
 * @throws OperatorError if `out` cannot be a file, or the orders cannot be read or written
 */
export async function exportOrders(
  table: OrdersTable,
  { out, format = formatOf(out), status }: ExportRequest,
  stdout: Screen,
  onProgress: (orders: number) => void,
  signal: AbortSignal,
): Promise<{ orders: number; format: OrdersFormat; out: string | null }> {
  if (out !== undefined) await refuseUnlessFile('--out', out);
  const exported = { orders: 0, format, out: out ?? null };
  const texts = async function* () {
    if (format === 'csv') yield `${csvHeader}\n`;
    for await (const orders of scanPages(table.documents, table.tableName)) {
      if (orders.some(({ id }) => !(id instanceof NumberValue))) {
        throw new OperatorError(`${table.tableName} contains items that are not orders`);
      }
      signal.throwIfAborted();
      const wanted = orders.filter((order) => status === undefined || order.status === status);
      exported.orders += wanted.length;
      onProgress(exported.orders);
      const text = wanted
        .map((order) => `${format === 'csv' ? orderCsv(order) : storedOrderJson(order)}\n`)
        .join('');
      yield out === undefined && stdout.isTTY ? printable(text) : text;
    }
  };
  try {
    if (out !== undefined) await writeWhole(out, texts());
    else {
      // Otherwise, a reader that does not read would block the export forever.
      signal.addEventListener('abort', () => stdout.destroy());
      await pipeline(texts, stdout, { end: false });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    const problem = `interrupted after ${counted(exported.orders, 'order')}`;
    throw new InterruptedError(problem, { remedy: 'run the command again' });
  }
  return exported;
}

/** Writes a file that only this user can read, and which appears when it is complete. */
async function writeWhole(path: string, texts: AsyncIterable<string>): Promise<void> {
  // Nobody can prepare a link here: the name is random, and an existing file is an error.
  const partial = `${path}.${randomBytes(8).toString('hex')}.partial`;
  try {
    // This waits until the file is closed. A pipeline can end before its file is opened, which would
    // create the file after it was removed.
    await writeFile(partial, texts, { flush: true, flag: 'wx', mode: 0o600 });
    await rename(partial, path);
  } catch (error) {
    // An error of the removal would hide why the file was not written.
    await rm(partial, { force: true }).catch(() => {});
    if (error instanceof OperatorError || failureOf(error)) throw error;
    throw new OperatorError(`${path}: not exported: ${reasonOf(error)}`, { cause: error });
  }
}
