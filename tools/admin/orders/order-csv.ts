import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../lambdas/domain/item.ts';
import { InvalidValueError, OperatorError } from '../../shared/errors.ts';
import { counted } from '../console/view.ts';
import { attributeJson, attributesOf } from './attribute-json.ts';
import { parseJson, partsOf } from './order-json.ts';
import { fileFields, isAccepted, type OrderItem, orderFromFields } from './order-record.ts';

// csv-parse would replace only `cellsOf` here and the count of quotation marks in orders-file.ts. csv-stringify
// would not mark texts that have an apostrophe before a formula already, so an import could not restore them.

/** The last column has the attributes of other programs, in DynamoDB's own JSON. */
const columns: readonly string[] = [...fileFields, 'attributes'];

/** The first line of an exported file. */
export const csvHeader = columns.join(',');

/** An order as a record of CSV with the columns of `csvHeader`. */
export function orderCsv(order: Item): string {
  const { fields, attributes } = partsOf(order);
  const cells = fileFields.map((field) => {
    const { N, S, BOOL } = fields[field] ?? {};
    if (field === 'status' && !order.status) return 'null';
    return N ?? cellOf(S ?? String(BOOL ?? ''));
  });
  const hasOthers = Object.keys(attributes).length > 0;
  return [...cells, hasOthers ? cellOf(attributeJson(attributes)) : ''].join(',');
}

function cellOf(value: string): string {
  const text = withApostrophes(value);
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** What a spreadsheet would run as a formula, also with apostrophes or quotation marks before it. */
const formula = /^'*"*[=+\-@＝＋－＠\t\r]/;

/** Splits a text after each character at which a spreadsheet may split it into cells. */
const partsOfText = (text: string) => text.split(/(?<=[;\t\r\n])/);

/** Adds an apostrophe before each formula, also if it has one already, so that an import can remove it. */
function withApostrophes(text: string): string {
  const marked = partsOfText(text).map((part) => (formula.test(part) ? `'${part}` : part));
  return marked.join('');
}

function withoutApostrophes(text: string): string {
  const parts = partsOfText(text);
  const isMarked = (part: string) => part.startsWith("'") && formula.test(part);
  return parts.map((part) => (isMarked(part) ? part.slice(1) : part)).join('');
}

/**
 * Reads the first line of a file. The separator of a spreadsheet depends on its language.
 *
 * @returns parses a record, or throws an OperatorError. An empty cell is a field about which the line says nothing
 * @throws OperatorError if a column is not a field or appears twice, or `id` is missing
 */
export function recordParser(header: string): (text: string) => OrderItem {
  const [separator = ','] = /[,;\t]/.exec(header) ?? [];
  const names = cellsOf(header, separator).map((name) => name.trim());
  const others = columns.filter((name) => name !== 'id').join(', ');
  const expected = `id and any of ${others}, each once, separated by commas, semicolons or tabs`;
  const wrong = names.find(
    (name, index) => !columns.includes(name) || names.indexOf(name) !== index,
  );
  if (wrong !== undefined) throw new InvalidValueError('column of the first line', wrong, expected);
  if (!names.includes('id')) throw new InvalidValueError('first line', header, expected);
  return (text) => {
    const cells = cellsOf(text, separator).map(withoutApostrophes);
    if (cells.length !== names.length) {
      throw new OperatorError(
        `has ${counted(cells.length, 'cell')}, but the first line has ${names.length}`,
      );
    }
    const filled = cells.map((cell, index) => [names[index]!, cell] as const);
    const { attributes = '{}', ...fields } = Object.fromEntries(filled.filter(([, cell]) => cell));
    const values = Object.entries(fields).map(([name, cell]) => [name, fieldValue(name, cell)]);
    return orderFromFields(Object.fromEntries(values), attributesOf(parseJson(attributes)));
  };
}

/** The value that a field accepts, or a text, which names the mistake in a message. */
function fieldValue(field: string, cell: string): AttributeValue {
  if (field === 'status' && cell === 'null') return { NULL: true };
  // Spreadsheets write TRUE and FALSE.
  const booleans = /^(true|false)$/i.test(cell) ? [{ BOOL: /^true$/i.test(cell) }] : [];
  const values: AttributeValue[] = [{ N: cell }, ...booleans, { S: cell }];
  return values.find((value) => isAccepted(field, value)) ?? { S: cell };
}

function cellsOf(text: string, separator: string): string[] {
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^"${separator}]*))${separator}`, 'gy');
  // Then every cell ends with a separator, also the last.
  const record = `${text}${separator}`;
  const found = [...record.matchAll(cell)];
  const length = found.reduce((sum, [matched]) => sum + matched.length, 0);
  if (length < record.length) {
    throw new OperatorError('is not CSV: a quotation mark is missing, or is inside a cell');
  }
  return found.map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain!);
}
