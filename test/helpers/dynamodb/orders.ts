import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { orderFields } from '../../../lambdas/orders/order-fields.ts';

export type OrderItem = Record<string, AttributeValue>;

/** The value of a field in the stored item of an order. */
const storedValues = {
  integer: { N: '7' },
  string: { S: '2026-11-20T09:30:00Z' },
  boolean: { BOOL: false },
};

/** The stored item of an order with overrides. An undefined override removes an attribute. */
export function orderItem(
  id: bigint | number | string,
  overrides: Record<string, AttributeValue | undefined> = {},
): OrderItem {
  const attributes = Object.entries(orderFields).map(([name, { type }]) => [
    name,
    storedValues[type],
  ]);
  const all = {
    ...Object.fromEntries(attributes),
    id: { N: String(id) },
    quantity: { N: '2' },
    ...overrides,
  };
  const present = Object.entries(all).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as OrderItem;
}

export function orderItems(count: number, firstId = 1n): OrderItem[] {
  return Array.from({ length: count }, (_, index) => orderItem(firstId + BigInt(index)));
}

/** The body of DynamoDB's answer to a `Scan`. */
export function scanAnswer(items: OrderItem[], lastId?: string): string {
  return JSON.stringify({
    Count: items.length,
    Items: items,
    ...(lastId !== undefined && { LastEvaluatedKey: { id: { N: lastId } } }),
    ScannedCount: items.length,
  });
}

/** The text of each order in a list. @throws SyntaxError if the list is truncated */
export function splitArray(list: string): string[] {
  JSON.parse(list);
  return list.match(/\{[^{}]*\}/g) ?? [];
}

/** Parses JSON with every number as its digits, because a double cannot hold every int64. */
export function parseExactly(json: string): unknown {
  const keepDigits = (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? `number ${context?.source}` : value;
  return JSON.parse(json, keepDigits);
}
