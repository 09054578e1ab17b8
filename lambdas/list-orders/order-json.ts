import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { orderFieldNames } from '../shared/order-fields.ts';

export type OrderItem = Record<string, AttributeValue>;

const jsonNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/**
 * The JSON text of an order, from an item whose attributes may have any type: the slow path for what
 * `OrderCopier` does not understand. Numbers keep DynamoDB's digits, because a JavaScript number
 * loses those of an int64 beyond 2^53.
 *
 * @throws TypeError for an attribute of an unknown type or a number that is not one in JSON
 */
export function orderToJson(item: OrderItem): string {
  return fieldsToJson(item, orderFieldNames);
}

/** Like {@link orderToJson}, with the given fields in the given order. */
export function fieldsToJson(item: OrderItem, fields: readonly string[]): string {
  const members: string[] = [];
  for (const field of fields) {
    const value = item[field];
    if (value !== undefined) members.push(`"${field}":${valueToJson(value)}`);
  }
  return `{${members.join(',')}}`;
}

function valueToJson(value: AttributeValue): string {
  if (value.S !== undefined) return JSON.stringify(value.S);
  if (value.N !== undefined) return numberToJson(value.N);
  if (value.BOOL !== undefined) return String(value.BOOL);
  if (value.NULL !== undefined) return 'null';
  if (value.L) return list(value.L.map(valueToJson));
  if (value.M) return map(value.M);
  if (value.SS) return JSON.stringify(value.SS);
  if (value.NS) return list(value.NS.map(numberToJson));
  if (value.B) return base64(value.B);
  if (value.BS) return list(value.BS.map(base64));
  throw new TypeError(`An attribute has an unknown type: ${Object.keys(value).join()}`);
}

/** DynamoDB's numbers are valid JSON numbers; those of another server might not be. */
function numberToJson(digits: string): string {
  if (!jsonNumber.test(digits)) throw new TypeError('An attribute is not a number.');
  return digits;
}

function list(values: string[]): string {
  return `[${values.join(',')}]`;
}

function map(values: Record<string, AttributeValue>): string {
  const members = Object.entries(values).map(
    ([name, value]) => `${JSON.stringify(name)}:${valueToJson(value)}`,
  );
  return `{${members.join(',')}}`;
}

function base64(bytes: Uint8Array): string {
  return JSON.stringify(Buffer.from(bytes).toString('base64'));
}
