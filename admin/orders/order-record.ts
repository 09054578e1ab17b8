import { NumberValue } from '@aws-sdk/lib-dynamodb';
import {
  type OrderField,
  type OrderFieldName,
  orderFieldNames,
  orderFields,
} from '../../lambdas/shared/order-fields.ts';
import { isInt64 } from '../../lambdas/shared/order-id.ts';
import { OperatorError, quoted } from '../../shared/errors.ts';

/** The fields of an order in a file, in their order: those that are published, and its status. */
export const fileFields = [...orderFieldNames, 'status'] as const;

export type FileField = OrderFieldName | 'status';

export const orderStatuses = ['pending', 'shipped', 'cancelled'];

/**
 * An order that can be stored. Its integers stay digits all the way: a JavaScript number would round
 * those above 2^53.
 */
export type OrderItem = { id: NumberValue; status: string } & Partial<
  Record<FileField, NumberValue | string | boolean>
>;

/** An order as the table has it, with its history and whatever else somebody put there. */
export type StoredOrder = Readonly<Record<string, unknown>>;

/** A field that is not what an order's field must be. */
export class BadFieldError extends OperatorError {
  override name = 'BadFieldError';
}

/** What a field can be in a file, and how that is told to the operator. */
interface Kind {
  readonly expected: string;
  readonly isAccepted: (value: unknown) => boolean;
}

const integer: Kind = {
  expected: 'an integer from -9223372036854775808 to 9223372036854775807',
  isAccepted: isInteger,
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
    isAccepted: (value) => typeof value === 'string' && /^[^\r\n]+$/.test(value),
  },
  'date-time': {
    expected: 'an ISO 8601 date-time such as "2026-11-20T09:30:00Z"',
    isAccepted: isDateTime,
  },
  boolean: { expected: 'true or false', isAccepted: (value) => typeof value === 'boolean' },
};

const status: Kind = {
  expected: `"${orderStatuses.join('", "')}" or none, which means "pending"`,
  isAccepted: (value) => orderStatuses.includes(value as string),
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
 * @param fields numbers as `NumberValue`, everything else as JSON means it
 * @throws BadFieldError naming the field, its value and what was expected
 */
export function orderFromFields(fields: Record<string, unknown>): OrderItem {
  for (const [name, value] of Object.entries(fields)) {
    if (!Object.hasOwn(kinds, name)) throw unknownField(name);
    if (!kinds[name as FileField].isAccepted(value)) throw badField(name as FileField, value);
  }
  if (!fields.id) throw new BadFieldError(`id: missing; expected ${kinds.id.expected}`);
  return { status: 'pending', ...fields } as OrderItem;
}

function isInteger(value: unknown): boolean {
  return value instanceof NumberValue && isInt64(String(value));
}

// RFC 3339, section 5.6, the profile of ISO 8601 that "date-time" means in OpenAPI.
const dateTime =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

function isDateTime(value: unknown): boolean {
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
  if (value === null || typeof value !== 'object' || value instanceof NumberValue) {
    return quoted(value);
  }
  return Array.isArray(value) ? 'an array' : 'an object';
}
