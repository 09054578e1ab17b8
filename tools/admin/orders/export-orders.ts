import { randomBytes } from 'node:crypto';
import { lstat, rename, rm, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import {
  InterruptedError,
  InvalidValueError,
  OperatorError,
  reasonOf,
} from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import type { Screen } from '../console/command-io.ts';
import { counted } from '../console/view.ts';
import { scanPages } from '../stage/dynamodb-calls.ts';
import { failureOf } from '../stage/service-failure.ts';
import { csvHeader, orderCsv } from './order-csv.ts';
import { orderJson } from './order-json.ts';
import { formatOf, type OrdersFormat } from './orders-file.ts';
import type { OrdersTable } from './orders-table.ts';

export interface ExportRequest {
  /** @default - by the name of the file */
  format?: OrdersFormat;
  /** The path of a file, which is created when it is complete. @default - standard output */
  out?: string | undefined;
}

/**
 * Writes all orders to a file or to standard output, in no particular order, in constant memory. Each
 * order is exported in the state that it has when its page is read.
 *
 * @param onProgress is told how many orders are written
 * @param signal ends the export, and removes the part of the file that is written
 * @throws InterruptedError when the signal has ended it
 * @throws OperatorError when `out` cannot be a file, or the orders cannot be read or written
 */
export async function exportOrders(
  table: OrdersTable,
  { out, format = formatOf(out) }: ExportRequest,
  stdout: Screen,
  onProgress: (orders: number) => void,
  signal: AbortSignal,
): Promise<{ orders: number; format: OrdersFormat; out: string | null }> {
  if (out !== undefined) await refuseUnlessFile('--out', out);
  const exported = { orders: 0, format, out: out ?? null };
  const texts = async function* () {
    if (format === 'csv') yield `${csvHeader}\n`;
    for await (const orders of scanPages(table.dynamodb, table.tableName)) {
      if (orders.some(({ id }) => !(id instanceof NumberValue))) {
        throw new OperatorError(`${table.tableName} has other items than orders`);
      }
      signal.throwIfAborted();
      exported.orders += orders.length;
      onProgress(exported.orders);
      const text = orders
        .map((order) => `${format === 'csv' ? orderCsv(order) : orderJson(order)}\n`)
        .join('');
      yield out === undefined && stdout.isTTY ? printable(text) : text;
    }
  };
  try {
    if (out !== undefined) await writeWhole(out, texts());
    else await writeTo(stdout, texts, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    const remedy = 'run the command again';
    throw new InterruptedError(`interrupted after ${counted(exported.orders, 'order')}`, {
      remedy,
    });
  }
  return exported;
}

/**
 * Refuses a path at which there is something else than a file, as a link is. The finished file is
 * renamed to its path, which would put it in the place of a device or a pipe: an operator who is root
 * would replace `/dev/null` for the whole machine, and the reader of a pipe would wait forever.
 *
 * @throws InvalidValueError when the path is empty, or is no file
 */
export async function refuseUnlessFile(option: string, path: string): Promise<void> {
  const present = await lstat(path).catch(() => undefined);
  if (path !== '' && (!present || present.isFile())) return;
  const expected = 'a file, which is created or replaced; for a pipe, leave the option out';
  throw new InvalidValueError(option, path, expected);
}

async function writeTo(
  stdout: Screen,
  texts: () => AsyncIterable<string>,
  signal: AbortSignal,
): Promise<void> {
  // Nothing else ends the wait for a reader that does not read.
  signal.addEventListener('abort', () => stdout.destroy());
  await pipeline(texts, stdout, { end: false });
}

/** Writes a file atomically, so that no reader sees a part of it. Only this user can read it. */
async function writeWhole(path: string, texts: AsyncIterable<string>): Promise<void> {
  // Nobody can prepare a link at this path: its name is random, and an existing file is an error.
  const partial = `${path}.${randomBytes(8).toString('hex')}.partial`;
  try {
    // This waits until the file is closed. A stream's pipeline ends while its file may yet be opened,
    // and so be created after it was removed.
    await writeFile(partial, texts, { flush: true, flag: 'wx', mode: 0o600 });
    await rename(partial, path);
  } catch (error) {
    // A failure to remove it would hide why it was not written.
    await rm(partial, { force: true }).catch(() => {});
    if (error instanceof OperatorError || failureOf(error)) throw error;
    throw new OperatorError(`${path}: not exported: ${reasonOf(error)}`, { cause: error });
  }
}
