import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readlink, rename, rm, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { InvalidValueError, OperatorError, reasonOf } from '../../shared/errors.ts';
import { exportOrders } from './export-orders.ts';
import type { OrdersFormat } from './orders-file.ts';
import type { OrdersTable } from './orders-table.ts';

// What a link to a file that this process has open names.
const openFile = /(?:^|\/)fd\/\d+$/;

interface ExportRequest {
  /** @default - the format of the extension of `out`, otherwise JSON Lines */
  format?: OrdersFormat;
  /** The path of a file, which is created when it is complete. @default - standard output */
  out?: string;
}

/**
 * Writes all orders to a file or to standard output. Returns their number.
 *
 * @throws OperatorError when `out` cannot be a file, or the orders cannot be read or written
 */
export async function writeExport(
  table: OrdersTable,
  { out, format = formatFor(out) }: ExportRequest,
  stdout: Writable,
): Promise<{ orders: number; format: OrdersFormat; out: string | null }> {
  if (out !== undefined) await refuseUnlessFile(out);
  let orders = 0;
  const texts = exportOrders(table, format, (count) => {
    orders = count;
  });
  if (out !== undefined) await writeWhole(out, texts);
  else await pipeline(texts, stdout, { end: false });
  return { orders, format, out: out ?? null };
}

/**
 * Refuses a path at which there is something else than a file. The finished file is renamed to its
 * path, which would put it in the place of a device or a pipe: an operator who is root would replace
 * `/dev/null` for the whole machine, and the reader of a pipe would wait forever.
 *
 * @throws InvalidValueError when the path is empty, a directory, a device or a pipe
 */
async function refuseUnlessFile(path: string): Promise<void> {
  const present = await stat(path).catch(() => undefined);
  const isOther = present !== undefined && !present.isFile();
  // Such as /dev/stdout, which is what standard output is: a file too, when it is redirected to one.
  const isOpenFile = openFile.test(await readlink(path).catch(() => ''));
  if (path !== '' && !isOther && !isOpenFile) return;
  const expected = 'a file, which is created or replaced; for a pipe, leave the option out';
  throw new InvalidValueError('--out', path, expected);
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
