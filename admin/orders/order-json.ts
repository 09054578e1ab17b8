import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { fileFields, type StoredOrder } from './order-record.ts';

/** The fields that only some orders have, and that are no part of an orders file. */
const historyFields = ['shippedAt', 'cancelledAt', 'cancelledBy'];

/** An order as one line of JSON, its integers digit for digit. A field that it lacks is left out. */
export function orderJson(order: StoredOrder, fields: readonly string[] = fileFields): string {
  const present = fields.filter((field) => order[field] !== undefined);
  return `{${present.map((field) => `"${field}":${jsonOf(order[field])}`).join(',')}}`;
}

/** The same, with what has become of the order. */
export function orderJsonWithHistory(order: StoredOrder): string {
  return orderJson(order, [...fileFields, ...historyFields]);
}

/** An order as a line of CSV, in the order of `fileFields`. */
export function orderCsv(order: StoredOrder): string {
  return fileFields.map((field) => csvCell(String(order[field] ?? ''))).join(',');
}

function jsonOf(value: unknown): string {
  return value instanceof NumberValue ? String(value) : JSON.stringify(value);
}

function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
