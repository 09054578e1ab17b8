import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import {
  BadLineError,
  InterruptedError,
  InvalidValueError,
  OperatorError,
  quoted,
  reasonOf,
} from '../../shared/errors.ts';
import { type OrderItem, orderFromFields } from './order-record.ts';

/** A line of an orders file that is an order. */
export interface OrderLine {
  readonly line: number;
  /** The line itself, without its end. */
  readonly raw: Buffer;
  /** The number of bytes of the file that have been read so far. */
  readonly bytes: number;
  readonly order: OrderItem;
}

/** A line that is none, and why. */
type BadLine = Omit<OrderLine, 'order'> & { readonly error: BadLineError };

const chunkBytes = 262_144;
/** Far more than any order needs. A longer line is bad, so that memory stays bounded. */
const longestLineBytes = 65_536;
const missingStatus = 'status: missing; expected a whole order, as "orders export" writes it';
const expectedLine = 'expected an order on each line, {"id":…,"petId":…}';
const newline = 0x0a;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Opens a file of orders, which can be read several times. With the path `-` it has what standard input
 * holds; it then has no name, so that it disappears with the process.
 *
 * @param signal interrupts reading standard input
 * @throws InvalidValueError when there is no such file
 * @throws InterruptedError when standard input has not ended before the signal
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
  const file = await open(name, 'wx+', 0o600);
  try {
    await rm(name);
    await pipeline(stdin, (source) => file.writeFile(source), { signal });
    return file;
  } catch (error) {
    await file.close();
    throw signal.aborted ? new InterruptedError('-: interrupted while reading') : error;
  }
}

/**
 * Reads JSON Lines of any number, one order at a time. A line that is not an order, or has the id of an
 * earlier one, yields an error, and reading continues with the next line.
 *
 * @param isWhole whether an order has to be whole, which one without a status is not
 */
export async function* readOrders(
  file: FileHandle,
  isWhole = false,
): AsyncGenerator<OrderLine | BadLine> {
  const firstLines = new Map<bigint, number>();
  for await (const { raw, line, bytes } of splitLines(file)) {
    if (isBlank(raw)) continue;
    try {
      const order = parseLine(raw);
      const id = BigInt(String(order.id));
      const first = firstLines.get(id);
      if (first) throw new OperatorError(`id: ${id} is on line ${first} already`);
      firstLines.set(id, line);
      if (isWhole && order.status === undefined) throw new OperatorError(missingStatus);
      yield { line, raw, bytes, order };
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      yield { line, raw, bytes, error: new BadLineError(line, error.message) };
    }
  }
}

function parseLine(raw: Buffer): OrderItem {
  if (raw.length > longestLineBytes) {
    throw new OperatorError(`is longer than any order: ${longestLineBytes} bytes`);
  }
  const text = textOf(raw);
  const order = orderFromFields(fieldsOf(text));
  refuseRepeatedFields(text);
  return order;
}

/** Splits a file into its lines. Of a line that is too long, it yields the first part. */
async function* splitLines(file: FileHandle) {
  let rest: Buffer = Buffer.alloc(0);
  let bytes = 0;
  let line = 1;
  const stream = file.createReadStream({ start: 0, autoClose: false, highWaterMark: chunkBytes });
  for await (const chunk of stream) {
    const data: Buffer = Buffer.concat([rest, chunk]);
    bytes += chunk.length;
    let start = 0;
    for (let end = data.indexOf(newline); end !== -1; end = data.indexOf(newline, start)) {
      yield { raw: data.subarray(start, end), line, bytes };
      line++;
      start = end + 1;
    }
    rest = data.subarray(start, start + longestLineBytes + 1);
  }
  yield { raw: rest, line, bytes };
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

/** Decodes a line, without a byte order mark. */
function textOf(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new OperatorError('is not UTF-8: it is damaged, or of another encoding', { cause });
  }
}

function fieldsOf(text: string): Record<string, unknown> {
  const value = parseJson(text);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject || value instanceof NumberValue) {
    throw new OperatorError(`is JSON, but no object; ${expectedLine}`);
  }
  return value as Record<string, unknown>;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, keepDigits);
  } catch (error) {
    const problem = `is not JSON: ${reasonOf(error)}; ${expectedLine}`;
    throw new OperatorError(problem, { cause: error });
  }
}

// The third argument contains the source text of a number (ECMAScript 2026), which is not rounded.
function keepDigits(_key: string, value: unknown, context?: { source: string }): unknown {
  return typeof value === 'number' ? NumberValue.from(context!.source) : value;
}

// A string of JSON, and the colon after it if it is a name.
const jsonString = /("(?:[^"\\]|\\.)*")(\s*:)?/g;

/** Refuses an order that has a field twice, of which `JSON.parse` keeps the last value only. */
function refuseRepeatedFields(text: string): void {
  const strings = [...text.matchAll(jsonString)];
  const names = strings.filter(([, , colon]) => colon).map(([, name]) => JSON.parse(name!));
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated === undefined) return;
  throw new OperatorError(`${quoted(repeated)}: the order has this field twice`);
}
