import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../lambdas/contract/item.ts';
import {
  cancellationFields,
  isValueOf,
  type OrderField,
  orderFields,
} from '../../../lambdas/orders/order-fields.ts';
import { type OrderStatus, orderStatuses } from '../../../lambdas/orders/order-states.ts';
import { quoted, shortened } from '../../shared/errors.ts';
import { isSame } from './attribute-json.ts';

const dateTime = { type: 'string', format: 'date-time' } as const satisfies OrderField;
const text = { type: 'string' } as const satisfies OrderField;

/** The fields of the API, and the fields that the service and the operator's commands store in addition. */
const fields = {
  ...orderFields,
  status: { type: 'status' },
  ...cancellationFields,
  shippedAt: dateTime,
  shippedBy: text,
  reopenedAt: dateTime,
  reopenedBy: text,
} as const satisfies Readonly<Record<string, OrderField | { type: 'status' }>>;

export type FileField = keyof typeof fields;

/** The accepted values of each format or type. */
const kinds = {
  int64: 'an integer from -9223372036854775808 to 9223372036854775807',
  'date-time': 'an ISO 8601 date-time such as "2026-11-20T09:30:00Z"',
  string: 'a text of Unicode characters',
  boolean: 'true or false',
  status: `"${orderStatuses.join('", "')}" or null`,
};

/** The fields that a line has as plain values, in the sequence of an export, which begins with the API's fields. */
export const fileFields = Object.keys(fields) as readonly FileField[];

export function isFileField(name: string): name is FileField {
  return Object.hasOwn(fields, name);
}

/** Whether a field accepts a value; also false if there is no field of this name. */
export function isAccepted(name: string, value: AttributeValue | undefined): boolean {
  if (!isFileField(name) || !value) return false;
  if (name === 'status') return orderStatuses.includes(value.S as OrderStatus);
  // DynamoDB does not store half of a surrogate pair, which JSON can express.
  return isValueOf(fields[name], value) && (value.S?.isWellFormed() ?? true);
}

/** Describes the values that a field accepts. */
export function expectedOf(name: FileField): string {
  const { type, format = type, ...rules }: { type: string; format?: string } = fields[name];
  const others = Object.entries(rules).map(([rule, value]) => `${rule} ${value}`);
  return [kinds[format as keyof typeof kinds], ...others].join(', ');
}

/**
 * An order as a line describes it. A line says nothing about an attribute that it lacks. If the status is present and
 * undefined, the order has no status.
 */
export type OrderItem = { id: AttributeValue } & Record<string, AttributeValue>;

/** Converts a line into a new order. Without a status in the line, a complete order is shipped, any other pending. */
export function newOrder(order: OrderItem): OrderItem {
  const { status, ...others } = order;
  if (status) return order;
  if ('status' in order) return others as OrderItem;
  const state: OrderStatus = order.complete?.BOOL ? 'shipped' : 'pending';
  return { ...order, status: { S: state } };
}

/** Describes how a stored order differs from a line in these attributes; undefined if it has the same values. */
export function differences(
  line: Item,
  stored: Item,
  names: Iterable<string> = Object.keys(line),
): string | undefined {
  const differing = [...names].filter((name) => !isSame(line[name], stored[name]));
  const texts = differing.map((name) => {
    const [has, says] = [stored[name], line[name]];
    const value = has ? `${name} ${shown(has)}` : `no ${name}`;
    return `has ${value}, the line says ${says ? shown(says) : 'none'}`;
  });
  return texts.join('; ') || undefined;
}

/** Formats a value for a message, as JSON writes it. */
export function shown(value: AttributeValue | undefined): string {
  const { S, N, BOOL, NULL, B } = value ?? {};
  if (S !== undefined) return quoted(S);
  return shortened(String(N ?? BOOL ?? (NULL ? null : B ? 'a binary value' : 'a collection')));
}
