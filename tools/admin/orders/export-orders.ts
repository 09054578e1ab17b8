import { pipeline } from 'node:stream/promises';
import type { OrderStatus } from '../../../lambdas/domain/order-states.ts';
import { InterruptedError, OperatorError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import type { Screen } from '../console/command-io.ts';
import { counted } from '../console/view.ts';
import type { OrdersTable } from '../stage/orders-table.ts';
import { csvHeader, orderCsv } from './order-csv.ts';
import { orderJson } from './order-json.ts';
import { formatOf, type OrdersFormat } from './orders-file.ts';
import { scanOrders } from './stored-orders.ts';
import { refuseUnlessFile, writeWhole } from './whole-file.ts';

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
  const lineOf = format === 'csv' ? orderCsv : orderJson;
  const lines = async function* () {
    if (format === 'csv') yield [csvHeader];
    for await (const orders of scanOrders(table)) {
      if (orders.some(({ id }) => id?.N === undefined)) {
        throw new OperatorError(`${table.tableName} contains items that are not orders`);
      }
      signal.throwIfAborted();
      const wanted = orders.filter((order) => status === undefined || order.status?.S === status);
      exported.orders += wanted.length;
      onProgress(exported.orders);
      yield wanted.map(lineOf);
    }
  };
  const texts = async function* () {
    for await (const text of brokenUntilComplete(lines())) {
      yield out === undefined && stdout.isTTY ? printable(text) : text;
    }
  };
  try {
    if (out !== undefined) {
      await writeWhole(out, async (append) => {
        for await (const text of texts()) await append(text);
      });
    } else {
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

/**
 * Joins lines, but keeps back all but the first character of the last line so far. So an import refuses what it
 * reads from a pipe if the export has failed or was killed.
 */
async function* brokenUntilComplete(pages: AsyncIterable<string[]>): AsyncGenerator<string> {
  let rest = '';
  for await (const lines of pages) {
    const last = lines.pop();
    if (last === undefined) continue;
    yield [rest, ...lines.map((line) => `${line}\n`), last.slice(0, 1)].join('');
    rest = `${last.slice(1)}\n`;
  }
  yield rest;
}
