import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { isDateTime } from '../../../lambdas/domain/date-time.ts';
import type { Item } from '../../../lambdas/domain/item.ts';
import {
  cancellationFields,
  isInt64,
  type OrderField,
  orderFields,
} from '../../../lambdas/domain/order-fields.ts';
import { type OrderStatus, orderStatuses } from '../../../lambdas/domain/order-states.ts';
import { quoted, shortened } from '../../shared/errors.ts';
import { isSame } from './attribute-json.ts';

/** The accepted values of a field. */
interface Kind {
  readonly expected: string;
  readonly isAccepted: (value: AttributeValue) => boolean;
}

const kindsOfTypes: Readonly<Record<OrderField['type'], Kind>> = {
  integer: {
    expected: 'an integer from -9223372036854775808 to 9223372036854775807',
    isAccepted: ({ N }) => N !== undefined && isInt64(N),
  },
  string: {
    expected: 'a text of Unicode characters',
    // JSON can express half of a surrogate pair, which DynamoDB does not store.
    isAccepted: ({ S }) => S?.isWellFormed() ?? false,
  },
  boolean: { expected: 'true or false', isAccepted: ({ BOOL }) => BOOL !== undefined },
};

const dateTime: Kind = {
  expected: 'an ISO 8601 date-time such as "2026-11-20T09:30:00Z"',
  isAccepted: ({ S }) => isDateTime(S),
};

/** The fields of the API, and those that the service and the operator's commands store in addition. */
const kinds = {
  ...kindsOf(orderFields),
  status: {
    expected: `"${orderStatuses.join('", "')}" or null`,
    isAccepted: ({ S }: AttributeValue) => orderStatuses.includes(S as OrderStatus),
  },
  ...kindsOf(cancellationFields),
  shippedAt: dateTime,
  shippedBy: kindsOfTypes.string,
  reopenedAt: dateTime,
  reopenedBy: kindsOfTypes.string,
} satisfies Readonly<Record<string, Kind>>;

export type FileField = keyof typeof kinds;

function kindsOf<Name extends string>(fields: Readonly<Record<Name, OrderField>>) {
  const entries = Object.entries<OrderField>(fields).map(([name, { type, format }]) => {
    return [name, format === 'date-time' ? dateTime : kindsOfTypes[type]];
  });
  return Object.fromEntries(entries) as Record<Name, Kind>;
}

/** The fields that a line has as plain values, in the sequence of an export: those of the API first. */
export const fileFields = Object.keys(kinds) as readonly FileField[];

export function isFileField(name: string): name is FileField {
  return Object.hasOwn(kinds, name);
}

/** Whether a field accepts a value; also false if there is no field of this name. */
export function isAccepted(name: string, value: AttributeValue | undefined): boolean {
  return isFileField(name) && value !== undefined && kinds[name].isAccepted(value);
}

/** Describes the values that a field accepts. */
export const expectedOf = (name: FileField) => kinds[name].expected;

/** An order in a line, which says nothing about attributes that it lacks; an undefined status says that it has none. */
export type OrderItem = { id: AttributeValue } & Record<string, AttributeValue>;

/** Converts a line into a new order. If the line does not mention the status, it is pending, or shipped if complete. */
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
