import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { InvalidValueError, OperatorError } from '../../shared/errors.ts';
import { counted } from '../console/view.ts';
import { type FileField, fileFields, isFileField, valueOfText } from './order-record.ts';
import type { StoredOrder } from './orders-table.ts';

/** The first line of an exported file. */
export const csvHeader = fileFields.join(',');

/**
 * Formats an order as a line of CSV with the columns of `csvHeader`. Other attributes are left out.
 *
 * @throws OperatorError if a text has a line break
 */
export function orderCsv(order: StoredOrder): string {
  const line = fileFields.map((field) => cellOf(order[field] ?? '')).join(',');
  if (!line.includes('\n')) return line;
  throw new OperatorError(
    `order ${order.id}: a text has a line break, which a line of CSV cannot have`,
    { remedy: 'export JSON Lines' },
  );
}

function cellOf(value: unknown): string {
  const text = value instanceof NumberValue ? String(value) : withApostrophes(String(value));
  return /[",;\t\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Adds an apostrophe before a text that a spreadsheet would run as a formula, also after a character at which
 * it may split the text into cells. A text that has such an apostrophe gets another one, so that an import
 * can remove it.
 */
function withApostrophes(text: string): string {
  return text.replaceAll(/(?<=^|[;\t\r])(?='*"*[=+\-@\t\r])/g, "'");
}

function withoutApostrophes(text: string): string {
  return text.replaceAll(/(?<=^|[;\t\r])'(?='*"*[=+\-@\t\r])/g, '');
}

/**
 * Reads the first line of a file.
 *
 * @returns the field of each column
 * @throws InvalidValueError if a column is not a field or appears twice, or `id` is missing
 */
export function columnsOf(header: string): FileField[] {
  const names = (cellsOf(header) ?? []).map((name) => name.trim());
  const others = fileFields.filter((field) => field !== 'id').join(', ');
  const expected = `id and any of ${others}, each once, separated by commas`;
  const wrong = names.find((name, index) => !isFileField(name) || names.indexOf(name) !== index);
  if (wrong !== undefined) throw new InvalidValueError('column of the first line', wrong, expected);
  if (!names.includes('id')) throw new InvalidValueError('first line', header, expected);
  return names as FileField[];
}

/**
 * Parses a line of CSV. An empty cell is a field that the order does not have.
 *
 * @throws OperatorError if the line does not have one cell for each column
 */
export function fieldsOfCsv(text: string, columns: readonly FileField[]): Record<string, unknown> {
  const cells = cellsOf(text);
  if (!cells) {
    throw new OperatorError('is not CSV: a quotation mark is missing, or is inside a cell');
  }
  if (cells.length !== columns.length) {
    throw new OperatorError(
      `has ${counted(cells.length, 'cell')}, but the first line has ${columns.length}`,
    );
  }
  const present = columns.map(
    (field, index) => [field, withoutApostrophes(cells[index]!)] as const,
  );
  return Object.fromEntries(
    present
      .filter(([, cell]) => cell !== '')
      .map(([field, cell]) => [field, valueOfText(field, cell)]),
  );
}

/** Splits a line into cells, without line breaks in them; undefined if it is not CSV. */
function cellsOf(text: string): string[] | undefined {
  // With this comma, every cell ends with a comma.
  const line = `${text},`;
  const found = [...line.matchAll(/(?:"((?:[^"]|"")*)"|([^",]*)),/gy)];
  const length = found.reduce((sum, [cell]) => sum + cell.length, 0);
  if (length < line.length) return undefined;
  return found.map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain!);
}
