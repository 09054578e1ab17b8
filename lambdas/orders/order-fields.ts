import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { ApiError } from '../contract/errors.ts';

/** The type of an order's field, in the terms of the contract (`openapi.yaml`). Every integer is an int64. */
export interface OrderField {
  readonly type: keyof typeof attributeTypes;
  readonly format?: 'int64' | 'date-time';
}

/** DynamoDB's type for each type of the contract. */
export const attributeTypes = { integer: 'N', string: 'S', boolean: 'BOOL' } as const;

/**
 * The fields of an order, in the sequence in which they are published. Other code derives from this record, or the
 * compiler compares it with this record. `test/contract/order-fields.test.ts` compares the contract.
 */
export const orderFields = {
  id: { type: 'integer', format: 'int64' },
  petId: { type: 'integer', format: 'int64' },
  quantity: { type: 'integer', format: 'int64' },
  shipDate: { type: 'string', format: 'date-time' },
  complete: { type: 'boolean' },
} as const satisfies Readonly<Record<string, OrderField>>;

export type OrderFieldName = keyof typeof orderFields;

export const orderFieldNames = Object.keys(orderFields) as readonly OrderFieldName[];

/**
 * Whether a stored value has a field's type and keeps the field's rules. The API leaves out every other value, and
 * operators cannot import such a value.
 */
export function isValueOf({ type, format }: OrderField, attribute: AttributeValue): boolean {
  const value: unknown = attribute[attributeTypes[type]];
  if (type === 'integer') return isInt64(String(value));
  return format === 'date-time' ? isDateTime(value) : typeof value === type;
}

const canonicalInteger = /^(?:0|-?[1-9][0-9]{0,18})$/;

/** Whether a text is an int64 in canonical form: no leading zero, no plus sign, no `-0`. */
export function isInt64(text: string): boolean {
  if (!canonicalInteger.test(text)) return false;
  // 18 characters always fit. They are not converted, because a list checks millions of numbers, and a BigInt takes
  // several times as long.
  return text.length <= 18 || BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

const dateTime =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))$/;

/**
 * Whether a value is a date-time with a time zone, of a day that exists, as RFC 3339, section 5.6, defines it. Like in
 * Java, a fraction has at most nine digits. Like in .NET, an offset is at most 14 hours, and the time in UTC is in the
 * years 1 to 9999. If a generated client cannot read one date, it fails for the whole list.
 *
 * @example 2026-11-20T09:30:00.123456789+05:30
 */
export function isDateTime(value: unknown): value is string {
  if (typeof value !== 'string' || !dateTime.test(value)) return false;
  const day = value.slice(0, 10);
  // Every month has these days, and their time in UTC is always in the years 1 to 9999.
  if (day.slice(8) <= '28' && day > '0001-01-01') return true;
  // The day is compared, because `Date` reads 30 February as 2 March. A year beyond 9999 has a plus sign, which sorts
  // before all digits.
  const hasDay = new Date(`${day}T00:00Z`).toISOString().startsWith(day);
  return hasDay && new Date(value).toISOString() >= '0001';
}

/**
 * The order id in a path. It stays a string, because a JavaScript number loses digits of an int64 beyond 2^53. The
 * segment is decoded here, because API Gateway does not decode `%31`, which means `1` (RFC 3986, section 6.2.2.2).
 *
 * @throws ApiError if it is not an int64 in canonical form
 */
export function parseOrderId(segment: string | undefined): string {
  const id = segment?.replaceAll(/%(?:2d|3\d)/gi, decodeURIComponent);
  if (id !== undefined && isInt64(id)) return id;
  throw new ApiError('invalid_order_id');
}
