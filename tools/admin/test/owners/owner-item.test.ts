import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { hashOwnerPart, hashToken } from '../../../../lambdas/domain/api-key.ts';
import { ownerCounters } from '../../../../lambdas/domain/owner-record.ts';
import { plans } from '../../../../lib/settings/plans.ts';
import {
  createKeyId,
  createOwnerIdentity,
  createToken,
  ownCharactersOf,
} from '../../stored/identities.ts';

const second = 4_102_444_799;
const overheadOfMap = 3;
const overheadOfEntry = 1;
const number = (value: number): AttributeValue => ({ N: String(value) });

/** The item of an owner with a number of keys, in which every value has its maximum size. */
function largestItem(keys: number): Record<string, AttributeValue> {
  const prefix = 'so_live_';
  const { ownerId, seed } = createOwnerIdentity(prefix);
  const tokens = Array.from({ length: keys }, () => createToken(prefix, seed));
  const entries = tokens.map((token) => [hashToken(token), { M: largestEntry(ownerId) }]);
  return {
    ownerHash: { S: hashOwnerPart(createToken(prefix, seed)) },
    ownerId: { S: ownerId },
    plan: { S: 'enterprise' },
    status: { S: 'suspended' },
    perMinute: number(plans.enterprise.perMinute - 1),
    perDay: number(plans.enterprise.perDay - 1),
    ...Object.fromEntries(
      ownerCounters.map((name) => [name, number(name.endsWith('Window') ? second : 9_999_999)]),
    ),
    keys: { M: Object.fromEntries(entries) },
  };
}

function largestEntry(ownerId: string): Record<string, AttributeValue> {
  return {
    id: { S: ownCharactersOf(createKeyId(ownerId)) },
    expiresAt: number(second),
    bannedUntil: number(second),
    rejectionWindow: number(second),
    rejectionCount: number(99_999),
    usedAt: number(second),
  };
}

describe("an owner's item", () => {
  it.each([
    [5, 'whatever their values', ({ M }: AttributeValue) => M!],
    [
      10,
      'that never expire and were never refused',
      ({ M }: AttributeValue) => {
        const { id, usedAt } = M!;
        return { id: id!, usedAt: usedAt! };
      },
    ],
  ])('stays below 1 KB with %i keys %s, so that a write costs one unit', (count, _, stored) => {
    const item = largestItem(count);
    const entries = Object.entries(item.keys!.M!).map(([hash, entry]) => [
      hash,
      { M: stored(entry) },
    ]);

    const bytes = itemSizeBytes({ ...item, keys: { M: Object.fromEntries(entries) } });

    expect(bytes).toBeLessThanOrEqual(1_024);
  });
});

/**
 * The size of an item in bytes by DynamoDB's rules for strings, numbers and maps. A number takes a
 * byte for each two significant digits and one more byte. AWS calls this approximate, so two are
 * added here.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
function itemSizeBytes(item: Record<string, AttributeValue>): number {
  return sum(
    Object.entries(item).map(([name, value]) => Buffer.byteLength(name) + valueBytes(value)),
  );
}

function valueBytes({ S, N, M }: AttributeValue): number {
  if (S !== undefined) return Buffer.byteLength(S);
  if (N !== undefined) return 2 + Math.ceil(N.replace(/^-?0*/, '').length / 2);
  if (M !== undefined) {
    return overheadOfMap + overheadOfEntry * Object.keys(M).length + itemSizeBytes(M);
  }
  throw new Error('No item of this service has such an attribute.');
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
