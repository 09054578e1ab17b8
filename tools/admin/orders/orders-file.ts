import { createReadStream } from 'node:fs';
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { BadLineError, OperatorError, quoted, reasonOf } from '../../shared/errors.ts';
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
const newline = 0x0a;
const utf8 = new TextDecoder('utf-8', { fatal: true });
// With or without a byte order mark.
const arrayStart = /^(?:\u00ef\u00bb\u00bf)?\s*\[/;

/**
 * Reads a file of JSON Lines of any size in constant memory, one order at a time. A line that is not
 * an order yields an error, and reading continues with the next line.
 *
 * @param fromLine the number of the first line to read, from 1
 * @throws OperatorError when the file is a JSON array
 */
export async function* readOrders(path: string, fromLine = 1): AsyncGenerator<OrderLine> {
  let isFirst = true;
  for await (const { bytes, line, read } of splitLines(path)) {
    if (line < fromLine || isBlank(bytes)) continue;
    if (isFirst && arrayStart.test(bytes.toString('latin1', 0, longestLineBytes))) {
      throw isArray(line);
    }
    isFirst = false;
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

function isArray(line: number): OperatorError {
  return new OperatorError(`line ${line}: is the start of a JSON array`, {
    remedy: 'an orders file has one order on each line, {"id":…,"petId":…} (JSON Lines)',
  });
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
    throw new OperatorError('is JSON, but no object; expected {"id":…,"petId":…}');
  }
  refuseRepeatedNames(text, Object.keys(value).length);
  return value as Record<string, unknown>;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, keepDigits);
  } catch (error) {
    throw new OperatorError(`is not JSON: ${reasonOf(error)}`, { cause: error });
  }
}

// The third argument contains the source text of a number (ECMAScript 2026), which is not rounded.
function keepDigits(_key: string, value: unknown, context?: { source: string }): unknown {
  return typeof value === 'number' ? NumberValue.from(context!.source) : value;
}

// A string of JSON, and the colon after it if it is a name.
const jsonString = /("(?:[^"\\]|\\.)*")(\s*:)?/g;

/**
 * Refuses an object that has a name twice, of which `JSON.parse` keeps the last value only.
 *
 * @param text valid JSON
 * @param names how many different names its object has
 */
function refuseRepeatedNames(text: string, names: number): void {
  // With as many colons behind quotes as there are names, each name stands once. This spares most
  // orders the search below, which takes a third as long as parsing them.
  if (text.match(/"\s*:/g)?.length === names) return;
  const seen = new Set<string>();
  for (const [, string, colon] of text.matchAll(jsonString)) {
    if (colon === undefined) continue;
    // An object within the object may have a name that stands outside too: it is refused later,
    // because no field is an object.
    const name: string = JSON.parse(string!);
    if (seen.has(name)) throw new OperatorError(`${quoted(name)}: the order has this field twice`);
    seen.add(name);
  }
}
