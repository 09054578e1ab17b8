import { createReadStream } from 'node:fs';
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { BadLineError, OperatorError, reasonOf } from '../../shared/errors.ts';
import { type OrderItem, orderFromFields } from './order-record.ts';

/** A line of an orders file: an order, or the error why it is not one. */
export type OrderLine = {
  readonly line: number;
  /** The number of bytes of the file that have been read so far. */
  readonly bytes: number;
} & ({ readonly order: OrderItem } | { readonly error: BadLineError });

const chunkBytes = 262_144;
/** Far more than any order needs. A longer line is bad, so that memory stays bounded. */
const longestLineBytes = 65_536;
const expectedLine = 'expected an order on each line, {"id":…,"petId":…}';
const newline = 0x0a;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a file of JSON Lines of any size in constant memory, one order at a time. A line that is not
 * an order yields an error, and reading continues with the next line.
 *
 * @param fromLine the number of the first line to read, from 1
 */
export async function* readOrders(path: string, fromLine = 1): AsyncGenerator<OrderLine> {
  for await (const { bytes, line, read } of splitLines(path)) {
    if (line < fromLine || isBlank(bytes)) continue;
    yield { line, bytes: read, ...parseLine(bytes, line) };
  }
}

function parseLine(bytes: Buffer, line: number): { order: OrderItem } | { error: BadLineError } {
  try {
    if (bytes.length > longestLineBytes) {
      throw new OperatorError(`is longer than any order: ${longestLineBytes} bytes`);
    }
    return { order: orderFromFields(fieldsOf(textOf(bytes))) };
  } catch (error) {
    if (error instanceof OperatorError) return { error: new BadLineError(line, error.message) };
    throw error;
  }
}

/** Splits a file into its lines. Of a line that is too long, it yields the first part. */
async function* splitLines(path: string) {
  let rest: Buffer = Buffer.alloc(0);
  let read = 0;
  let line = 1;
  for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) {
    const data: Buffer = Buffer.concat([rest, chunk]);
    read += chunk.length;
    let start = 0;
    for (let end = data.indexOf(newline); end !== -1; end = data.indexOf(newline, start)) {
      yield { bytes: data.subarray(start, end), line, read };
      line++;
      start = end + 1;
    }
    rest = data.subarray(start, start + longestLineBytes + 1);
  }
  yield { bytes: rest, line, read };
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
