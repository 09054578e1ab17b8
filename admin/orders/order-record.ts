import { NumberValue } from '@aws-sdk/lib-dynamodb';
import {
  type OrderField,
  type OrderFieldName,
  orderFieldNames,
  orderFields,
} from '../../lambdas/shared/order-fields.ts';
import { isInt64 } from '../../lambdas/shared/order-id.ts';
import { orderStates, orderStatuses } from '../../lambdas/shared/order-states.ts';
import { OperatorError, quoted } from '../../shared/errors.ts';

/** The fields of an orders file, in this order: those of the API, and the status. */
export const fileFields = [...orderFieldNames, 'status'] as const;

export type FileField = OrderFieldName | 'status';

/** The states in which orders can be imported. */
export const importableStatuses: readonly string[] = orderStatuses.filter(
  (status) => orderStates[status].isImportable,
);

/**
 * An order that can be stored. Its integers are `NumberValue`s, because a JavaScript number would
 * round integers above 2^53.
 */
export type OrderItem = { id: NumberValue; status: string } & Partial<
  Record<FileField, NumberValue | string | boolean>
>;

/** An order of the table, which can have further fields. */
export type StoredOrder = Readonly<Record<string, unknown>>;

/** The error for a field that is unknown, missing or has an invalid value. */
class BadFieldError extends OperatorError {
  override name = 'BadFieldError';
}

/** The accepted values of a field, and their description for the operator. */
interface Kind {
  readonly expected: string;
  readonly isAccepted: (value: unknown) => boolean;
}

const integer: Kind = {
  expected: 'an integer from -9223372036854775808 to 9223372036854775807',
  isAccepted: isInteger,
};

/** The kinds of values, by the format of a field or, if it has none, its type. */
const kindsOfValues: Readonly<
  Record<OrderField['type'] | NonNullable<OrderField['format']>, Kind>
> = {
  integer,
  int64: integer,
  // Line breaks are not accepted, because each line of a CSV file is an order.
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
  expected: `"${importableStatuses.join('", "')}" or none, which means "pending"`,
  isAccepted: (value) => importableStatuses.includes(value as string),
};

const kinds = { ...mapFields(({ type, format }) => kindsOfValues[format ?? type]), status };

function mapFields<T>(change: (field: OrderField) => T): Record<OrderFieldName, T> {
  const entries = orderFieldNames.map((name) => [name, change(orderFields[name])]);
  return Object.fromEntries(entries) as Record<OrderFieldName, T>;
}

/**
 * Converts the fields of a line into an order. Only `id` is required. An unknown field is refused,
 * because it is probably a spelling mistake, and ignoring it would lose its value.
 *
 * @param fields the parsed fields, with every number as a `NumberValue`
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

// The format of RFC 3339, section 5.6, which is the meaning of "date-time" in OpenAPI.
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
