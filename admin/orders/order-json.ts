import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { fileFields, type StoredOrder } from './order-record.ts';

/** The fields about an order's past, which are not part of an orders file. */
const historyFields = ['shippedAt', 'cancelledAt', 'cancelledBy'];

/** Formats an order as one line of JSON with exact integers. Absent fields are left out. */
export function orderJson(order: StoredOrder, fields: readonly string[] = fileFields): string {
  const present = fields.filter((field) => order[field] !== undefined);
  return `{${present.map((field) => `"${field}":${jsonOf(order[field])}`).join(',')}}`;
}

/** Formats an order like `orderJson`, with the fields about its past. */
export function orderJsonWithHistory(order: StoredOrder): string {
  return orderJson(order, [...fileFields, ...historyFields]);
}

/** Formats an order as a line of CSV with the columns of `fileFields`. */
export function orderCsv(order: StoredOrder): string {
  return fileFields.map((field) => csvCell(csvText(order[field] ?? ''))).join(',');
}

/**
 * Another program may have stored a text that a spreadsheet would run as a formula. The apostrophe
 * makes it a text there; no order that can be imported has such a text.
 */
function csvText(value: unknown): string {
  const isFormula = typeof value === 'string' && /^[=+\-@\t\r]/.test(value);
  return isFormula ? `'${value}` : String(value);
}

function jsonOf(value: unknown): string {
  return value instanceof NumberValue ? String(value) : JSON.stringify(value);
}

function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
