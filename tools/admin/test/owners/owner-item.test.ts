import { expect, it } from '@jest/globals';
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

/** The item of an owner with a number of keys, in which every value has its maximum size. */
function largestItem(keys: number, ofEntry: object) {
  const prefix = 'so_live_';
  const { ownerId, seed } = createOwnerIdentity(prefix);
  const id = ownCharactersOf(createKeyId(ownerId));
  const entries = Array.from({ length: keys }, () => {
    return [hashToken(createToken(prefix, seed)), { id, usedAt: second, ...ofEntry }];
  });
  const counters = ownerCounters.map((name) => {
    return [name, name.endsWith('Window') ? second : 9_999_999];
  });
  return {
    ownerHash: hashOwnerPart(createToken(prefix, seed)),
    ownerId,
    plan: 'enterprise',
    status: 'suspended',
    perMinute: plans.enterprise.perMinute - 1,
    perDay: plans.enterprise.perDay - 1,
    ...Object.fromEntries(counters),
    keys: Object.fromEntries(entries),
  };
}

const ban = { bannedUntil: second, rejectionWindow: second, rejectionCount: 99_999 };

it.each([
  [5, 'whatever their values', { expiresAt: second, ...ban }],
  [10, 'that never expire and were never refused', {}],
])(
  "an owner's item stays below 1 KB with %i keys %s, so that a write costs one unit",
  (keys, _, ofEntry) => {
    expect(itemBytes(largestItem(keys, ofEntry))).toBeLessThanOrEqual(1_024);
  },
);

/**
 * The size of an item in bytes by DynamoDB's rules. A number takes a byte for each two significant digits and
 * one more byte. AWS calls this approximate, so two are added here. A map takes three bytes, and one for each
 * entry.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
function itemBytes(item: object): number {
  const attributes = Object.entries(item);
  return attributes.reduce((sum, [name, value]) => sum + name.length + valueBytes(value), 0);
}

function valueBytes(value: string | number | object): number {
  if (typeof value === 'string') return value.length;
  if (typeof value === 'number') return 2 + Math.ceil(String(value).length / 2);
  return 3 + Object.keys(value).length + itemBytes(value);
}
