import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Option } from 'commander';
import {
  InterruptedError,
  InvalidValueError,
  OperatorError,
  quoted,
  reasonOf,
} from '../../shared/errors.ts';
import { comparableNumber } from './attribute-json.ts';
import { recordParser } from './order-csv.ts';
import { orderOfJson, orderOfJsonOrId } from './order-json.ts';
import { type FileField, isAccepted, notAccepted, type OrderItem } from './order-record.ts';

/** JSON Lines, with an order on each line, or CSV, whose first line names the columns. */
export type OrdersFormat = 'jsonl' | 'csv';

export const formatOption = new Option(
  '--format <format>',
  'without it, csv for a file whose name ends with .csv, otherwise jsonl',
).choices(['jsonl', 'csv'] satisfies OrdersFormat[]);

/** The format of a file, by its name. */
export function formatOf(path: string | undefined): OrdersFormat {
  return path?.toLowerCase().endsWith('.csv') ? 'csv' : 'jsonl';
}

/** A line of an orders file that is an order. */
export interface OrderLine {
  /** The number of the line in the file, from 1. */
  readonly line: number;
  /** The same text for equal ids. */
  readonly key: string;
  readonly order: OrderItem;
}

/** What the lines of a file can say. */
export interface LineForm {
  /** The only fields besides the id. @default - all, and other programs' attributes */
  readonly fields?: readonly FileField[];
  /** Whether a line can be an id alone. */
  readonly canBeId?: boolean;
}

/** A file of orders on which a command acts, and what is told about it. */
export interface OrdersFile {
  /** `-` for standard input. */
  readonly path: string;
  /** @default - by the name of the file */
  readonly format?: OrdersFormat | undefined;
  readonly stdin?: Readable;
  readonly signal: AbortSignal;
  /** Called with what is done, such as `shipped`, with how many orders, and of how many if that is known. */
  onProgress?(done: string, orders: number, all?: number): void;
  /** Called with the number and the error of every bad line. */
  onBadLine(text: string): void;
  /** Removes the progress from the terminal, before a question. */
  clear?(): void;
}

/** More than the JSON of the largest item needs. */
const longestLineBytes = 8_388_608;
/** More than the texts of an order need. After that, a line break ends a record although a quotation is open. */
const longestQuotationBytes = 65_536;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Opens a file of orders, which can be read several times. For `-`, this is a copy of standard input without a name,
 * which disappears with the process.
 */
export async function openOrders({
  path,
  stdin = process.stdin,
  signal,
}: OrdersFile): Promise<FileHandle> {
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

/** What else a file can be, by its first bytes, and how to convert it. */
const otherForms: readonly [RegExp, string, string][] = [
  [/^\p{Cc}\x8b/u, 'a gzip file', '"gunzip"'],
  [/^PK\p{Cc}/u, 'a zip file or a spreadsheet', 'unzip it, or save it as CSV'],
  [/^(\xff\xfe|\xfe\xff|.?\0)/s, 'text in UTF-16', '"iconv -f UTF-16 -t UTF-8"'],
  // It begins with a byte that begins no UTF-8, or its first line has a control character.
  [
    /^([\x80-\xbf\xf8-\xff]|.*(?![\s\x80-\x9f])\p{Cc})/u,
    'a binary file, not text',
    'save it as CSV',
  ],
  [/^\s*\{\s*"(Items|Count|ScannedCount)"/, 'the response of a scan', `"jq -c '.Items[]'"`],
  [/^\s*\[\s*[{\]]/, 'an array of JSON', `"jq -c '.[]'"`],
  [/^\s*\{\s*\n/, 'JSON in which an order has several lines', '"jq -c ."'],
];

async function refuseOtherForms(file: FileHandle, path: string): Promise<void> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, 0);
  const head = buffer.toString('latin1', 0, bytesRead).replace(/^\xef\xbb\xbf/, '');
  const [, what, how] = otherForms.find(([form]) => form.test(head)) ?? [];
  if (!what) return;
  const remedy = `expected a text with one order on each line; to convert it: ${how}`;
  throw new OperatorError(`${path}: is ${what}`, { remedy });
}

/**
 * Reads the orders of a file one at a time. A line is bad if it is not an order, or has the id of an earlier line.
 *
 * @throws OperatorError if the file is no text of orders, or the first line of CSV does not name the columns
 */
export async function* readOrders(
  file: FileHandle,
  { path, format = formatOf(path), signal, onBadLine, fields, canBeId }: OrdersFile & LineForm,
): AsyncGenerator<OrderLine> {
  await refuseOtherForms(file, path);
  const firstLines = new Map<string, number>();
  const parseJsonLine = canBeId ? orderOfJsonOrId : orderOfJson;
  let parse = format === 'csv' ? undefined : parseJsonLine;
  for await (const { bytes, line } of splitLines(file, format)) {
    if (/^[ \t\r]*$/.test(bytes)) continue;
    if (signal.aborted)
      throw new InterruptedError('interrupted', { remedy: 'run the command again' });
    try {
      const text = textOf(bytes);
      if (!parse) {
        parse = recordParser(text);
        continue;
      }
      const order = parse(text);
      if (fields) refuseOthers(order, fields);
      const key = comparableNumber(order.id.N!)!;
      const first = firstLines.get(key);
      if (first) throw new OperatorError(`id: ${order.id.N} is already on line ${first}`);
      firstLines.set(key, line);
      yield { line, key, order };
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      const message = `line ${line}: ${error.message}`;
      if (!parse) throw new OperatorError(`${path}: ${message}`);
      onBadLine(message);
    }
  }
}

function refuseOthers({ id: _id, ...others }: OrderItem, fields: readonly FileField[]): void {
  const other = Object.keys(others).find((name) => !fields.includes(name as FileField));
  if (other) throw new OperatorError(`${quoted(other)}: expected only id, ${fields.join(', ')}`);
  const wrong = fields.find((name) => others[name] && !isAccepted(name, others[name]));
  if (wrong) throw new OperatorError(notAccepted(wrong, others[wrong]));
}

/**
 * Splits a file into lines, or records of CSV: a cell between quotation marks can have line breaks. It yields the
 * bytes as characters, and only the first part of a line or record that is too long.
 */
async function* splitLines(file: FileHandle, format: OrdersFormat) {
  const stream = file.createReadStream({ start: 0, autoClose: false, encoding: 'latin1' });
  let [record, isQuoted, rest] = ['', false, ''];
  let [line, next] = [1, 1];
  for await (const chunk of stream) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop()!.slice(0, longestLineBytes + 1);
    for (const text of lines) {
      next++;
      record += text;
      // An odd number of quotation marks opens or closes a quotation.
      if (format === 'csv') isQuoted = isQuoted !== (text.split('"').length % 2 === 0);
      if (isQuoted && record.length <= longestQuotationBytes) {
        record += '\n';
        continue;
      }
      yield { bytes: record, line };
      [record, isQuoted, line] = ['', false, next];
    }
  }
  yield { bytes: record + rest, line };
}

function textOf(bytes: string): string {
  if (bytes.length > longestLineBytes) {
    throw new OperatorError(`is longer than ${longestLineBytes} bytes, more than any order needs`, {
      remedy: 'a line break or a quotation mark may be missing',
    });
  }
  try {
    return utf8.decode(Buffer.from(bytes, 'latin1')).replace(/\r$/, '');
  } catch (cause) {
    throw new OperatorError('is not UTF-8: it is damaged or has another encoding', { cause });
  }
}
