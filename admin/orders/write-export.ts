import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { OperatorError, reasonOf } from '../../shared/errors.ts';
import { exportOrders } from './export-orders.ts';
import type { OrdersFormat } from './orders-file.ts';
import type { OrdersTable } from './orders-table.ts';

interface ExportRequest {
  /** @default - the format of the extension of `out`, otherwise JSON Lines */
  format?: OrdersFormat;
  /** The path of a file, which is created when it is complete. @default - standard output */
  out?: string;
}

/** Writes all orders to a file or to standard output. Returns their number. */
export async function writeExport(
  table: OrdersTable,
  { out, format = formatFor(out) }: ExportRequest,
  stdout: Writable,
): Promise<{ orders: number; format: OrdersFormat; out: string | null }> {
  let orders = 0;
  const texts = exportOrders(table, format, (count) => {
    orders = count;
  });
  if (out) await writeWhole(out, texts);
  else await pipeline(texts, stdout, { end: false });
  return { orders, format, out: out ?? null };
}

/** Writes a file atomically, so that no reader sees a part of it. Only this user can read it. */
async function writeWhole(path: string, texts: AsyncIterable<string>): Promise<void> {
  // Nobody can prepare a link at this path: its name is random, and an existing file is an error.
  const partial = `${path}.${randomBytes(8).toString('hex')}.partial`;
  try {
    await pipeline(texts, createWriteStream(partial, { flush: true, flags: 'wx', mode: 0o600 }));
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw new OperatorError(`${path}: not exported: ${reasonOf(error)}`, { cause: error });
  }
}

function formatFor(out: string | undefined): OrdersFormat {
  if (out?.endsWith('.csv')) return 'csv';
  return out?.endsWith('.json') ? 'json' : 'jsonl';
}
