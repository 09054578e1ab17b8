import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { fileFields } from './order-record.ts';

/** The fields that only some orders have, and that are no part of an orders file. */
const historyFields = ['shippedAt', 'cancelledAt', 'cancelledBy'];

type StoredOrder = Record<string, AttributeValue>;

/** An order as one line of JSON, its integers digit for digit. A field that it lacks is left out. */
export function orderJson(order: StoredOrder): string {
  return `{${members(order, fileFields).join(',')}}`;
}

/** The same, with what has become of the order. */
export function orderJsonWithHistory(order: StoredOrder): string {
  return `{${members(order, [...fileFields, ...historyFields]).join(',')}}`;
}

/** An order as a line of CSV, in the order of `fileFields`. */
export function orderCsv(order: StoredOrder): string {
  return fileFields.map((field) => csvCell(plainText(order[field]))).join(',');
}

function members(order: StoredOrder, fields: readonly string[]): string[] {
  return fields
    .filter((field) => order[field] !== undefined)
    .map((field) => `"${field}":${order[field]!.N ?? JSON.stringify(plainValue(order[field]!))}`);
}

function plainValue(attribute: AttributeValue): unknown {
  return attribute.S ?? attribute.BOOL ?? null;
}

function plainText(attribute: AttributeValue | undefined): string {
  return attribute ? String(attribute.N ?? plainValue(attribute)) : '';
}

function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
