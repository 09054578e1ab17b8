import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { isDateTime } from '../../../lambdas/domain/date-time.ts';
import {
  cancellationFields,
  isInt64,
  type OrderField,
  type OrderFieldName,
  orderFields,
} from '../../../lambdas/domain/order-fields.ts';
import { type OrderStatus, orderStatuses } from '../../../lambdas/domain/order-states.ts';
import { OperatorError, quoted } from '../../shared/errors.ts';

/** The accepted values of a field, and their description for the operator. */
interface Kind {
  readonly expected: string;
  readonly isAccepted: (value: unknown) => boolean;
  /** Converts a cell of CSV into a value. @default - the text */
  readonly ofText?: (text: string) => unknown;
}

const integer: Kind = {
  expected: 'an integer from -9223372036854775808 to 9223372036854775807',
  isAccepted: (value) => value instanceof NumberValue && isInt64(String(value)),
  ofText: (text) => (isInt64(text) ? NumberValue.from(text) : text),
};

const text: Kind = {
  expected: 'a text of Unicode characters',
  // JSON can express half of a surrogate pair, which DynamoDB does not store.
  isAccepted: (value) => typeof value === 'string' && value.isWellFormed(),
};

const dateTime: Kind = {
  expected: 'an ISO 8601 date-time such as "2026-11-20T09:30:00Z"',
  isAccepted: isDateTime,
};

const boolean: Kind = {
  expected: 'true or false',
  isAccepted: (value) => typeof value === 'boolean',
  // Spreadsheets write TRUE and FALSE.
  ofText: (text) => /^true$/i.test(text) || (/^false$/i.test(text) ? false : text),
};

/** The kinds of values, by the format of a field or, without a format, its type. */
const kindsOfValues: Readonly<
  Record<OrderField['type'] | NonNullable<OrderField['format']>, Kind>
> = { integer, int64: integer, string: text, 'date-time': dateTime, boolean };

/** The fields that the service and the operator's commands store in addition to those of the API. */
const internalKinds = {
  status: {
    expected: `"${orderStatuses.join('", "')}" or none`,
    isAccepted: (value) => orderStatuses.includes(value as OrderStatus),
  },
  ...kindsOf(cancellationFields),
  shippedAt: dateTime,
  shippedBy: text,
  reopenedAt: dateTime,
  reopenedBy: text,
} as const satisfies Readonly<Record<string, Kind>>;

export type FileField = OrderFieldName | keyof typeof internalKinds;

const kinds: Readonly<Record<FileField, Kind>> = { ...kindsOf(orderFields), ...internalKinds };

function kindsOf<Name extends string>(fields: Readonly<Record<Name, OrderField>>) {
  const entries = Object.entries<OrderField>(fields);
  const kinds = entries.map(([name, { type, format }]) => [name, kindsOfValues[format ?? type]]);
  return Object.fromEntries(kinds) as Record<Name, Kind>;
}

/** The fields of a stored order, in the sequence that files use: those of the API first. */
export const fileFields = Object.keys(kinds) as readonly FileField[];

export function isFileField(name: string): name is FileField {
  return Object.hasOwn(kinds, name);
}

/** Converts a cell of CSV into a field's value. A text that the field does not accept remains a text. */
export function valueOfText(field: FileField, text: string): unknown {
  const { ofText = String } = kinds[field];
  return ofText(text);
}

/**
 * An order in a line of a file. Its integers are `NumberValue`s, because a JavaScript number would round
 * integers above 2^53. A line says nothing about the fields that it does not have.
 */
export type OrderItem = { id: NumberValue; status?: string } & Partial<
  Record<FileField, NumberValue | string | boolean>
>;

/** Converts a line into a new order. Without a status it is pending, or shipped if it is complete. */
export function newOrder(order: OrderItem): OrderItem {
  const { status = order.complete === true ? 'shipped' : 'pending' } = order;
  return { ...order, status };
}

/**
 * Converts the fields of a line into an order. Only `id` is required. An unknown field is refused: it is
 * probably a spelling mistake, and its value would be lost.
 *
 * @param fields the parsed fields, with every number as a `NumberValue`
 * @throws OperatorError with the field, its value and the expected values
 */
export function orderFromFields(fields: Record<string, unknown>): OrderItem {
  for (const [name, value] of Object.entries(fields)) {
    if (!isFileField(name)) throw unknownField(name);
    if (!kinds[name].isAccepted(value)) throw badField(name, value);
  }
  if (!fields.id) throw new OperatorError(`id: missing; expected ${kinds.id.expected}`);
  return fields as OrderItem;
}

function badField(field: FileField, value: unknown): OperatorError {
  const isCollection = typeof value === 'object' && value && !(value instanceof NumberValue);
  return new OperatorError(
    `${field}: ${isCollection ? 'a collection' : quoted(value)} is not accepted; expected ${kinds[field].expected}`,
  );
}

function unknownField(name: string): OperatorError {
  return new OperatorError(
    `${quoted(name)}: an order has no such field; expected only ${fileFields.join(', ')}`,
  );
}
