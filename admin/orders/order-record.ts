import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { isInt64 } from '../../lambdas/shared/order-id.ts';
import { OperatorError, quoted } from '../../shared/errors.ts';

/** The fields of an order, in the order in which they are written to files. */
export const orderFields = ['id', 'petId', 'quantity', 'shipDate', 'complete', 'status'] as const;

export type OrderField = (typeof orderFields)[number];

export const orderStatuses = ['pending', 'shipped', 'cancelled'];

/**
 * An order as DynamoDB stores it. Its integers stay digits in a string all the way: a JavaScript
 * number would round those above 2^53.
 */
export type OrderItem = { id: { N: string }; status: { S: string } } & Partial<
  Record<OrderField, AttributeValue>
>;

/** A number of a file, as its digits stand there. */
export class NumberText {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  toString(): string {
    return this.digits;
  }
}

/** A field that is not what an order's field must be. */
export class BadFieldError extends OperatorError {
  override name = 'BadFieldError';
}

const expectations: Record<OrderField, string> = {
  id: 'an integer from -9223372036854775808 to 9223372036854775807',
  petId: 'an integer from -9223372036854775808 to 9223372036854775807',
  quantity: 'an integer from -9223372036854775808 to 9223372036854775807',
  shipDate: 'an ISO 8601 date-time such as "2026-11-20T09:30:00Z"',
  complete: 'true or false',
  status: `"${orderStatuses.join('", "')}" or none, which means "pending"`,
};

const readers: Record<OrderField, (value: unknown) => AttributeValue | undefined> = {
  id: int64,
  petId: int64,
  quantity: int64,
  shipDate: (value) => (isDateTime(value) ? { S: value } : undefined),
  complete: (value) => (typeof value === 'boolean' ? { BOOL: value } : undefined),
  status: (value) =>
    typeof value === 'string' && orderStatuses.includes(value) ? { S: value } : undefined,
};

/**
 * Turns the fields of a line into an order. Only `id` is required, and a field that an order does
 * not have is refused: it is more often a misspelt one than one to be lost in silence.
 *
 * @param fields numbers as `NumberText`, everything else as JSON means it
 * @throws BadFieldError naming the field, its value and what was expected
 */
export function orderFromFields(fields: Record<string, unknown>): OrderItem {
  const item: Partial<Record<OrderField, AttributeValue>> = { status: { S: 'pending' } };
  for (const name of Object.keys(fields)) {
    const field = name as OrderField;
    if (!Object.hasOwn(readers, field)) throw unknownField(name);
    const attribute = readers[field](fields[name]);
    if (!attribute) throw badField(field, fields[name]);
    item[field] = attribute;
  }
  if (!item.id) throw new BadFieldError(`id: missing; expected ${expectations.id}`);
  return item as OrderItem;
}

function int64(value: unknown): AttributeValue | undefined {
  return value instanceof NumberText && isInt64(value.digits) ? { N: value.digits } : undefined;
}

// RFC 3339, section 5.6, the profile of ISO 8601 that "date-time" means in OpenAPI.
const dateTime =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

function isDateTime(value: unknown): value is string {
  const parts = typeof value === 'string' ? dateTime.exec(value) : null;
  if (!parts) return false;
  const [year, month, day] = parts.slice(1, 4).map(Number) as [number, number, number];
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

function daysInMonth(year: number, month: number): number {
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  if (month === 2) return isLeapYear ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

function badField(field: OrderField, value: unknown): BadFieldError {
  return new BadFieldError(
    `${field}: ${shown(value)} is not accepted; expected ${expectations[field]}`,
  );
}

function unknownField(name: string): BadFieldError {
  return new BadFieldError(
    `${quoted(name)}: an order has no such field; expected only ${orderFields.join(', ')}`,
  );
}

function shown(value: unknown): string {
  if (value === null || typeof value !== 'object' || value instanceof NumberText) {
    return quoted(value);
  }
  return Array.isArray(value) ? 'an array' : 'an object';
}
