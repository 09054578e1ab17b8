import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { hashToken, tokenChecksum } from '../../lambdas/shared/api-key.ts';

const random = 'abcdefghijABCDEFGHIJ0123456789abcdefghij';

/** Always the same well-formed token of a stage. */
export function exampleToken(prefix = 'so_test_'): string {
  return prefix + random + tokenChecksum(prefix + random);
}

export const keyHash = hashToken(exampleToken());
export const keyId = 'key_0123456789abcdefghijklmnopqrstuv';

type Value = string | number | undefined;

/** A free key's item as it is at issue, with some attributes set otherwise or, undefined, left out. */
export function keyItem(overrides: Record<string, Value> = {}): Record<string, AttributeValue> {
  const attributes = {
    keyHash,
    keyId,
    owner: 'A pet shop',
    plan: 'free',
    perMinute: 60,
    perDay: 1_000,
    status: 'active',
    createdAt: '2026-11-01T00:00:00Z',
    minuteWindow: 0,
    minuteCount: 0,
    dayWindow: 0,
    dayCount: 0,
    rejectionWindow: 0,
    rejectionCount: 0,
    ...overrides,
  };
  const item: Record<string, AttributeValue> = {};
  for (const [name, value] of Object.entries(attributes) as [string, Value][]) {
    if (value === undefined) continue;
    item[name] = typeof value === 'number' ? { N: String(value) } : { S: value };
  }
  return item;
}
