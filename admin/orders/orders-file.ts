import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { parse as parseCsv } from 'csv-parse/sync';
import { type OrderFieldName, orderFields } from '../../lambdas/shared/order-fields.ts';
import {
  BadLineError,
  OperatorError,
  quoted,
  reasonOf,
  UnreadableFileError,
} from '../../shared/errors.ts';
import { type TextPosition, textStart } from '../../shared/json-array.ts';
import { type FileRecord, splitArray, splitLines } from './file-records.ts';
import { fileFields, type OrderItem, orderFromFields } from './order-record.ts';

/** The formats of orders files: a JSON array, JSON Lines, or CSV with a header row. */
export type OrdersFormat = 'json' | 'jsonl' | 'csv';

export const ordersFormats: OrdersFormat[] = ['json', 'jsonl', 'csv'];

/** A line or array element of an orders file: an order, or the error why it is not one. */
export type OrderLine = {
  readonly line: number;
  /** The position after the line, from which the file can be read further. */
  readonly end: TextPosition;
} & ({ readonly order: OrderItem } | { readonly error: BadLineError });

const chunkBytes = 262_144;
const headBytes = 65_536;

/**
 * Reads an orders file of any size in constant memory, one order at a time. A line that is not an
 * order yields an error, and reading continues with the next line.
 *
 * @param from the position after an order. @default - the start of the file
 * @throws UnreadableFileError when the rest of the file cannot be parsed
 */
export async function* readOrders(
  path: string,
  format: OrdersFormat,
  from = textStart,
): AsyncGenerator<OrderLine> {
  const header = format === 'csv' ? await readCsvHeader(path) : undefined;
  const start = header && from.offset < header.end.offset ? header.end : from;
  const fieldsOf = header ? csvFields(header.columns) : jsonFields;
  const chunks = createReadStream(path, { start: start.offset, highWaterMark: chunkBytes });
  const records = format === 'json' ? splitArray(chunks, start) : splitLines(chunks, start);
  for await (const record of records) {
    if (isBlank(record.text)) continue;
    yield readRecord(record, fieldsOf);
  }
}

/**
 * Detects the format of an orders file from its name and its first bytes.
 *
 * @throws OperatorError when the format is unknown
 */
export async function detectFormat(path: string): Promise<OrdersFormat> {
  if (/\.csv$/i.test(path)) return 'csv';
  if (/\.(jsonl|ndjson)$/i.test(path)) return 'jsonl';
  const head = withoutByteOrderMark(await readHead(path)).trimStart();
  if (head.startsWith('[')) return 'json';
  if (head.startsWith('{') || head === '') return 'jsonl';
  if (/^(?:[^\n]*,)?\s*"?id"?\s*(?:,|\r?\n|$)/.test(head)) return 'csv';
  throw new OperatorError(
    `${path}: is neither a JSON array, JSON Lines, nor CSV with an id column`,
    { remedy: 'say which with --format' },
  );
}

function readRecord(
  record: FileRecord,
  fieldsOf: (text: string) => Record<string, unknown>,
): OrderLine {
  const { line, end } = record;
  const text = line === 1 ? withoutByteOrderMark(record.text) : record.text;
  try {
    return { line, end, order: orderFromFields(fieldsOf(text)) };
  } catch (error) {
    if (error instanceof OperatorError) {
      return { line, end, error: new BadLineError(line, error.message) };
    }
    throw error;
  }
}

function jsonFields(text: string): Record<string, unknown> {
  const value = parseJson(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    if (!(value instanceof NumberValue)) {
      refuseRepeatedNames(text, Object.keys(value).length);
      return value as Record<string, unknown>;
    }
  }
  throw new OperatorError('is JSON, but no object; expected {"id":…,"petId":…}');
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

interface CsvHeader {
  readonly columns: readonly string[];
  readonly end: TextPosition;
}

async function readCsvHeader(path: string): Promise<CsvHeader> {
  const chunks = createReadStream(path, { highWaterMark: headBytes });
  for await (const { text, end } of splitLines(chunks)) {
    if (isBlank(text)) continue;
    const columns = splitCsvLine(withoutByteOrderMark(text)).map((name) => name.trim());
    refuseUnknownColumns(columns);
    return { columns, end };
  }
  return { columns: [], end: textStart };
}

function refuseUnknownColumns(columns: string[]): void {
  const expected = `expected a header row of ${fileFields.join(',')}`;
  const unknown = columns.find((name) => !(fileFields as readonly string[]).includes(name));
  if (unknown !== undefined) {
    throw new UnreadableFileError(`header: an order has no field ${quoted(unknown)}; ${expected}`);
  }
  if (!columns.includes('id')) throw new UnreadableFileError(`header: no id column; ${expected}`);
  const twice = columns.find((name, index) => columns.indexOf(name) !== index);
  if (twice) throw new UnreadableFileError(`header: two columns are called ${twice}; ${expected}`);
}

/** Returns a parser for lines of CSV. An empty cell means that the order lacks the field. */
function csvFields(columns: readonly string[]): (text: string) => Record<string, unknown> {
  return (text) => {
    const cells = splitCsvLine(text);
    if (cells.length !== columns.length) {
      throw new OperatorError(
        `has ${cells.length} values; expected ${columns.length}, as the header`,
      );
    }
    const fields: Record<string, unknown> = {};
    for (const [index, name] of columns.entries()) {
      const cell = cells[index]!.trim();
      if (cell !== '') fields[name] = csvValue(name, cell);
    }
    return fields;
  };
}

function csvValue(column: string, cell: string): unknown {
  const type = column === 'status' ? 'string' : orderFields[column as OrderFieldName].type;
  if (type === 'integer') return NumberValue.from(cell);
  if (type === 'boolean' && /^(true|false)$/i.test(cell)) return /^true$/i.test(cell);
  return cell;
}

// Fields contain no line breaks, so each line is a record, and a stray quote affects only its line.
function splitCsvLine(text: string): string[] {
  const line = text.endsWith('\r') ? text.slice(0, -1) : text;
  if (!line.includes('"')) return line.split(',');
  try {
    return parseCsv(line, { relax_column_count: true, trim: true })[0] ?? [];
  } catch (error) {
    // The parser gets one line at a time, so that the number of the line in its message is always 1.
    const reason = reasonOf(error).replace(/ at line 1\b/, '');
    throw new OperatorError(`is not CSV: ${reason}`, { cause: error });
  }
}

async function readHead(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

function withoutByteOrderMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}
