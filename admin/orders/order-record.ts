import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import {
  type OrderField,
  type OrderFieldName,
  orderFieldNames,
  orderFields,
} from '../../lambdas/shared/order-fields.ts';
import { OperatorError, quoted } from '../../shared/errors.ts';

/** The fields of an order in a file, in their order: those that are published, and its status. */
export const fileFields = [...orderFieldNames, 'status'] as const;

export type FileField = OrderFieldName | 'status';

export const orderStatuses = ['pending', 'shipped', 'cancelled'];

/**
 * An order as DynamoDB stores it. Its integers stay digits in a string all the way: a JavaScript
 * number would round those above 2^53.
 */
export type OrderItem = { id: { N: string }; status: { S: string } } & Partial<
  Record<FileField, AttributeValue>
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

/** What a field can be in a file: how it is told to the operator, and how it is read. */
interface Kind {
  readonly expected: string;
  /** Undefined for a value that is not of this kind. */
  readonly read: (value: unknown) => AttributeValue | undefined;
}

const integer: Kind = {
  expected: 'an integer from -9223372036854775808 to 9223372036854775807',
  read: int64,
};

/** By a field's format or, where it has none, its type. */
const kindsOfValues: Readonly<
  Record<OrderField['type'] | NonNullable<OrderField['format']>, Kind>
> = {
  integer,
  int64: integer,
  // Of one line, because a line of CSV is an order.
  string: {
    expected: 'a text of one line',
    read: (value) =>
      typeof value === 'string' && /^[^\r\n]+$/.test(value) ? { S: value } : undefined,
  },
  'date-time': {
    expected: 'an ISO 8601 date-time such as "2026-11-20T09:30:00Z"',
    read: (value) => (isDateTime(value) ? { S: value } : undefined),
  },
  boolean: {
    expected: 'true or false',
    read: (value) => (typeof value === 'boolean' ? { BOOL: value } : undefined),
  },
};

const status: Kind = {
  expected: `"${orderStatuses.join('", "')}" or none, which means "pending"`,
  read: (value) =>
    typeof value === 'string' && orderStatuses.includes(value) ? { S: value } : undefined,
};

const kinds = { ...mapFields(({ type, format }) => kindsOfValues[format ?? type]), status };

function mapFields<T>(change: (field: OrderField) => T): Record<OrderFieldName, T> {
  const entries = orderFieldNames.map((name) => [name, change(orderFields[name])]);
  return Object.fromEntries(entries) as Record<OrderFieldName, T>;
}

/**
 * Turns the fields of a line into an order. Only `id` is required, and a field that an order does
 * not have is refused: it is more often a misspelt one than one to be lost in silence.
 *
 * @param fields numbers as `NumberText`, everything else as JSON means it
 * @throws BadFieldError naming the field, its value and what was expected
 */
export function orderFromFields(fields: Record<string, unknown>): OrderItem {
  const item: Partial<Record<FileField, AttributeValue>> = { status: { S: 'pending' } };
  for (const name of Object.keys(fields)) {
    const field = name as FileField;
    if (!Object.hasOwn(kinds, field)) throw unknownField(name);
    const attribute = kinds[field].read(fields[name]);
    if (!attribute) throw badField(field, fields[name]);
    item[field] = attribute;
  }
  if (!item.id) throw new BadFieldError(`id: missing; expected ${kinds.id.expected}`);
  return item as OrderItem;
}

const canonicalInteger = /^(?:0|-?[1-9]\d{0,18})$/;
const digitsThatAlwaysFit = 18;

/** Whether the text is `0`, or digits without a leading zero, maybe signed, within ±2^63. */
export function isInt64(text: string): boolean {
  if (!canonicalInteger.test(text)) return false;
  return text.length <= digitsThatAlwaysFit || BigInt.asIntN(64, BigInt(text)) === BigInt(text);
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

function badField(field: FileField, value: unknown): BadFieldError {
  return new BadFieldError(
    `${field}: ${shown(value)} is not accepted; expected ${kinds[field].expected}`,
  );
}

function unknownField(name: string): BadFieldError {
  return new BadFieldError(
    `${quoted(name)}: an order has no such field; expected only ${fileFields.join(', ')}`,
  );
}

function shown(value: unknown): string {
  if (value === null || typeof value !== 'object' || value instanceof NumberText) {
    return quoted(value);
  }
  return Array.isArray(value) ? 'an array' : 'an object';
}
