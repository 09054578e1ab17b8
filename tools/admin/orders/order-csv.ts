import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { InvalidValueError, OperatorError } from '../../shared/errors.ts';
import { counted } from '../console/view.ts';
import type { StoredOrder } from './find-order.ts';
import { type FileField, fileFields, isFileField, valueOfText } from './order-record.ts';

/*
 * csv-parse would replace only `cellsOf` here and `isOpen` in orders-file.ts. csv-stringify would not mark texts
 * that have an apostrophe before a formula already, so that an import could not restore them.
 */

/** The first line of an exported file. */
export const csvHeader = fileFields.join(',');

/** Formats an order as a record of CSV with the columns of `csvHeader`. Other attributes are left out. */
export function orderCsv(order: StoredOrder): string {
  return fileFields.map((field) => cellOf(order[field] ?? '')).join(',');
}

function cellOf(value: unknown): string {
  const text = value instanceof NumberValue ? String(value) : withApostrophes(String(value));
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Adds an apostrophe before a text that a spreadsheet would run as a formula, also after a character at which
 * it may split the text into cells. A text that has such an apostrophe gets another one, so that an import
 * can remove it.
 */
function withApostrophes(text: string): string {
  return text.replaceAll(/(?<=^|[;\t\r\n])(?='*"*[=+\-@＝＋－＠\t\r])/g, "'");
}

function withoutApostrophes(text: string): string {
  return text.replaceAll(/(?<=^|[;\t\r\n])'(?='*"*[=+\-@＝＋－＠\t\r])/g, '');
}

/**
 * Reads the first line of a file. Spreadsheets separate columns with commas, semicolons or tabs, depending on
 * the language.
 *
 * @returns parses a record, and throws an OperatorError if it does not have one cell for each column. An empty
 *   cell is a field that the order does not have
 * @throws InvalidValueError if a column is not a field or appears twice, or `id` is missing
 */
export function recordParser(header: string): (text: string) => Record<string, unknown> {
  const [separator = ','] = /[,;\t]/.exec(header) ?? [];
  const names = (cellsOf(header, separator) ?? []).map((name) => name.trim());
  const others = fileFields.filter((field) => field !== 'id').join(', ');
  const expected = `id and any of ${others}, each once, separated by commas, semicolons or tabs`;
  const wrong = names.find((name, index) => !isFileField(name) || names.indexOf(name) !== index);
  if (wrong !== undefined) throw new InvalidValueError('column of the first line', wrong, expected);
  if (!names.includes('id')) throw new InvalidValueError('first line', header, expected);
  return (text) => {
    const cells = cellsOf(text, separator)?.map(withoutApostrophes);
    if (!cells) {
      throw new OperatorError('is not CSV: a quotation mark is missing, or is inside a cell');
    }
    if (cells.length !== names.length) {
      throw new OperatorError(
        `has ${counted(cells.length, 'cell')}, but the first line has ${names.length}`,
      );
    }
    const fields = cells.map((cell, index) => [names[index]!, cell] as const);
    return Object.fromEntries(
      fields
        .filter(([, cell]) => cell !== '')
        .map(([name, cell]) => [name, valueOfText(name as FileField, cell)]),
    );
  };
}

/** Splits a record into cells; undefined if it is not CSV. */
function cellsOf(text: string, separator: string): string[] | undefined {
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^"${separator}]*))${separator}`, 'gy');
  // With this separator, every cell ends with one.
  const record = `${text}${separator}`;
  const found = [...record.matchAll(cell)];
  const length = found.reduce((sum, [matched]) => sum + matched.length, 0);
  if (length < record.length) return undefined;
  return found.map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain!);
}
