import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { OperatorError } from '../../shared/errors.ts';
import { fileFields } from './order-record.ts';
import type { StoredOrder } from './orders-table.ts';

/**
 * Formats a stored order, with all of its attributes, as one line of JSON with exact integers.
 *
 * @throws OperatorError when it has an attribute that a line of JSON cannot hold
 */
export function orderJson(order: StoredOrder): string {
  const known = fileFields.filter((field) => order[field] !== undefined);
  const others = Object.keys(order).filter((name) => !(known as string[]).includes(name));
  const members = [...known, ...others.sort()].map(
    (name) => `${JSON.stringify(name)}:${jsonOf(name, order)}`,
  );
  return `{${members.join(',')}}`;
}

/** Formats an order as a line of CSV with the columns of `fileFields`. */
export function orderCsv(order: StoredOrder): string {
  return fileFields.map((field) => csvCell(csvText(order[field] ?? ''))).join(',');
}

function jsonOf(name: string, order: StoredOrder): string {
  const value = order[name];
  if (value instanceof NumberValue) return String(value);
  if (value === null || ['string', 'boolean'].includes(typeof value)) return JSON.stringify(value);
  throw new OperatorError(
    `order ${order.id}: its attribute ${JSON.stringify(name)} is a collection or binary`,
    { remedy: 'another program has stored it: remove it, and run the command again' },
  );
}

/**
 * Another program may have stored a text that a spreadsheet would run as a formula. The apostrophe
 * makes it a text there, also behind a character at which a spreadsheet may divide it into cells.
 */
function csvText(value: unknown): string {
  if (value instanceof NumberValue) return String(value);
  return String(value).replaceAll(/(?<=^|[;\t\r\n])(?="*[=+\-@\t\r])/g, "'");
}

function csvCell(text: string): string {
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
