import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { OrderFieldName } from '../../../lambdas/domain/order-fields.ts';

export type OrderItem = Record<string, AttributeValue>;

/** The stored item of an order with overrides. An undefined override removes an attribute. */
export function orderItem(
  id: bigint | number | string,
  overrides: Record<string, AttributeValue | undefined> = {},
): OrderItem {
  const attributes: Record<OrderFieldName, AttributeValue> = {
    id: { N: String(id) },
    petId: { N: '7' },
    quantity: { N: '2' },
    shipDate: { S: '2026-11-20T09:30:00Z' },
    complete: { BOOL: false },
  };
  const present = Object.entries({ ...attributes, ...overrides }).filter(
    ([, value]) => value !== undefined,
  );
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
