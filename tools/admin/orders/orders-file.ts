import { randomUUID } from 'node:crypto';
import { type FileHandle, lstat, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Option } from 'commander';
import {
  InterruptedError,
  InvalidValueError,
  OperatorError,
  reasonOf,
} from '../../shared/errors.ts';
import { recordParser } from './order-csv.ts';
import { type OrderItem, orderFromFields } from './order-record.ts';
import { fieldsOfJson } from './stored-order-json.ts';

const formats = ['jsonl', 'csv'] as const;
/** JSON Lines, with an order on each line, or CSV, whose first line names the columns. */
export type OrdersFormat = (typeof formats)[number];

export const formatOption = new Option(
  '--format <format>',
  'without it, csv for a file whose name ends with .csv, otherwise jsonl',
).choices(formats);

/** The format of a file, by its name. */
export function formatOf(path: string | undefined): OrdersFormat {
  return path?.toLowerCase().endsWith('.csv') ? 'csv' : 'jsonl';
}

/** A line of an orders file that is an order. */
export interface OrderLine {
  /** The number of the line in the file, from 1. */
  readonly line: number;
  readonly order: OrderItem;
}

const chunkBytes = 262_144;
/** Far more than any order needs. A longer line is bad, so that memory stays bounded. */
const longestLineBytes = 65_536;
const newline = 0x0a;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Refuses a path that exists and is not a file. Renaming the finished file would replace a device or a pipe:
 * root would replace `/dev/null` for the whole machine, and the reader of a pipe would wait forever.
 *
 * @throws InvalidValueError if the path is empty, or exists and is not a file
 */
export async function refuseUnlessFile(option: string, path: string): Promise<void> {
  const present = await lstat(path).catch(() => undefined);
  if (path !== '' && (!present || present.isFile())) return;
  const expected = 'the path of a file; for a pipe, omit the option';
  throw new InvalidValueError(option, path, expected);
}

/**
 * Opens a file of orders, which can be read several times. For the path `-`, this is a copy of standard input
 * without a name, which disappears with the process.
 *
 * @param signal interrupts reading standard input
 * @throws InvalidValueError if there is no such file, or no directory for the copy
 * @throws InterruptedError if the signal comes before the end of standard input
 */
export async function openOrders(
  path: string,
  stdin: Readable,
  signal: AbortSignal,
): Promise<FileHandle> {
  if (path === '-') return copyOf(stdin, signal);
  const expected = 'a regular file of orders, or - for standard input';
  try {
    if ((await stat(path)).isFile()) return await open(path);
  } catch (error) {
    throw new InvalidValueError('file', path, `${expected} (${reasonOf(error)})`);
  }
  throw new InvalidValueError('file', path, expected);
}

async function copyOf(stdin: Readable, signal: AbortSignal): Promise<FileHandle> {
  const name = join(tmpdir(), `orders-${randomUUID()}`);
  const file = await open(name, 'wx+', 0o600).catch((error) => {
    const expected = `a directory for a copy of standard input (${reasonOf(error)})`;
    throw new InvalidValueError('TMPDIR', tmpdir(), expected);
  });
  try {
    await rm(name);
    await pipeline(stdin, (source) => file.writeFile(source), { signal });
    return file;
  } catch (error) {
    await file.close();
    if (!signal.aborted) throw error;
    throw new InterruptedError('-: interrupted while reading', { remedy: 'run the command again' });
  }
}

/**
 * Reads the orders of a file one at a time. For a line that is not an order, or has the id of an earlier line,
 * it yields the error, and continues with the next line.
 *
 * @param path the path of the file, for errors
 * @throws OperatorError if the first line of CSV does not name the columns
 */
export async function* readOrders(
  file: FileHandle,
  path: string,
  format: OrdersFormat,
): AsyncGenerator<OrderLine | { readonly message: string }> {
  const firstLines = new Map<bigint, number>();
  let parse = format === 'csv' ? undefined : fieldsOfJson;
  for await (const { raw, line } of splitLines(file, format)) {
    if (isBlank(raw)) continue;
    try {
      const text = textOf(raw);
      if (!parse) {
        parse = recordParser(text);
        continue;
      }
      const order = orderFromFields(parse(text));
      const id = BigInt(String(order.id));
      const first = firstLines.get(id);
      if (first) throw new OperatorError(`id: ${id} is already on line ${first}`);
      firstLines.set(id, line);
      yield { line, order };
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      const message = `line ${line}: ${error.message}`;
      if (!parse) throw new OperatorError(`${path}: ${message}`);
      yield { message };
    }
  }
}

/**
 * Splits a file into its lines, and CSV into its records: a cell between quotation marks can have line breaks.
 * It yields only the first part of a line or record that is too long.
 */
async function* splitLines(file: FileHandle, format: OrdersFormat) {
  let rest: Buffer = Buffer.alloc(0);
  let line = 1;
  const stream = file.createReadStream({ start: 0, autoClose: false, highWaterMark: chunkBytes });
  for await (const chunk of stream) {
    const data: Buffer = Buffer.concat([rest, chunk]);
    let start = 0;
    let next = line;
    for (let end = data.indexOf(newline); end !== -1; end = data.indexOf(newline, end + 1)) {
      next++;
      const raw = data.subarray(start, end);
      if (format === 'csv' && raw.length <= longestLineBytes && isOpen(raw)) continue;
      yield { raw, line };
      line = next;
      start = end + 1;
    }
    rest = data.subarray(start, start + longestLineBytes + 1);
  }
  yield { raw: rest, line };
}

/** Whether a record of CSV ends between quotation marks. */
function isOpen(record: Buffer): boolean {
  return record.toString('latin1').split('"').length % 2 === 0;
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

/** Decodes a line, without a byte order mark or a carriage return at its end. */
function textOf(bytes: Buffer): string {
  if (bytes.length > longestLineBytes) {
    throw new OperatorError(`is longer than ${longestLineBytes} bytes, more than any order needs`, {
      remedy: 'a line break or a quotation mark may be missing',
    });
  }
  try {
    return utf8.decode(bytes).replace(/\r$/, '');
  } catch (cause) {
    throw new OperatorError('is not UTF-8: it is damaged or has another encoding', { cause });
  }
}
