import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { isInt64 } from '../../lambdas/shared/order-id.ts';
import { OperatorError, quoted } from '../../shared/errors.ts';

/** The fields of an order, in the order in which they are written to files. */
export const orderFields = ['id', 'petId', 'quantity', 'shipDate', 'complete', 'status'] as const;

export type OrderField = (typeof orderFields)[number];

export const orderStatuses = ['pending', 'shipped', 'cancelled'];

/**
 * An order that can be stored. Its integers stay digits all the way: a JavaScript number would round
 * those above 2^53.
 */
export interface OrderItem {
  id: NumberValue;
  petId?: NumberValue;
  quantity?: NumberValue;
  shipDate?: string;
  complete?: boolean;
  status: string;
}

/** An order as the table has it, with its history and whatever else somebody put there. */
export type StoredOrder = Readonly<Record<string, unknown>>;

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

const isAccepted: Record<OrderField, (value: unknown) => boolean> = {
  id: isInteger,
  petId: isInteger,
  quantity: isInteger,
  shipDate: isDateTime,
  complete: (value) => typeof value === 'boolean',
  status: (value) => orderStatuses.includes(value as string),
};

/**
 * Turns the fields of a line into an order. Only `id` is required, and a field that an order does
 * not have is refused: it is more often a misspelt one than one to be lost in silence.
 *
 * @param fields numbers as `NumberValue`, everything else as JSON means it
 * @throws BadFieldError naming the field, its value and what was expected
 */
export function orderFromFields(fields: Record<string, unknown>): OrderItem {
  for (const [name, value] of Object.entries(fields)) {
    if (!Object.hasOwn(isAccepted, name)) throw unknownField(name);
    if (!isAccepted[name as OrderField](value)) throw badField(name as OrderField, value);
  }
  if (!fields.id) throw new BadFieldError(`id: missing; expected ${expectations.id}`);
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
  if (value === null || typeof value !== 'object' || value instanceof NumberValue) {
    return quoted(value);
  }
  return Array.isArray(value) ? 'an array' : 'an object';
}
