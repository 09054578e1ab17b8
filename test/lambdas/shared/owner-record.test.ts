import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { hashOwnerPart, hashToken } from '../../../lambdas/shared/api-key.ts';
import {
  keyIdOf,
  ownerCounters,
  readKeyEntry,
  readOwnerRecord,
} from '../../../lambdas/shared/owner-record.ts';
import { plans } from '../../../lib/settings/plans.ts';
import {
  createKeyId,
  createOwner,
  createToken,
  isKeyId,
  ownCharactersOf,
  ownerIdOf,
} from '../../../shared/api-key-token.ts';
import { itemSizeBytes } from '../../helpers/dynamodb/item-size.ts';

const second = 4_102_444_799;
const number = (value: number): AttributeValue => ({ N: String(value) });

/** The item of an owner with a number of keys, in which every value has its maximum size. */
function largestItem(keys: number): Record<string, AttributeValue> {
  const prefix = 'so_live_';
  const { ownerId, seed } = createOwner(prefix);
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
  it('stays below 1 KB with four keys, so that a write costs one unit, whatever its values', () => {
    const bytes = itemSizeBytes(largestItem(4));

    expect(bytes).toBeLessThanOrEqual(1_024);
  });

  it('stays below 1 KB with nine keys that never expire and were never refused', () => {
    const item = largestItem(9);
    const entries = Object.entries(item.keys!.M!).map(([hash, { M }]) => {
      const { id, usedAt } = M!;
      return [hash, { M: { id: id!, usedAt: usedAt! } }];
    });

    const bytes = itemSizeBytes({ ...item, keys: { M: Object.fromEntries(entries) } });

    expect(bytes).toBeLessThanOrEqual(1_024);
  });

  it('is read whole', () => {
    const record = readOwnerRecord(largestItem(1));

    expect(record).toEqual({
      ownerId: expect.stringMatching(/^own_/),
      plan: 'enterprise',
      isActive: false,
      perMinute: 59_999,
      perDay: 9_999_999,
      minuteWindow: second,
      minuteCount: 9_999_999,
      dayWindow: second,
      dayCount: 9_999_999,
    });
  });

  it('is one of nobody, with no plan and nothing used, as far as it lacks attributes', () => {
    const record = readOwnerRecord({});

    expect(record).toMatchObject({ ownerId: '', plan: '', isActive: false });
    expect(record).toMatchObject(Object.fromEntries(ownerCounters.map((name) => [name, 0])));
  });

  it.each([
    ['active', true],
    ['suspended', false],
    ['anything else', false],
  ])('is of an owner who is %s', (status, isActive) => {
    expect(readOwnerRecord({ status: { S: status } }).isActive).toBe(isActive);
  });
});

describe("a key's entry", () => {
  it('is found by the hash of its token', () => {
    const item = largestItem(3);
    const [, hash = ''] = Object.keys(item.keys!.M!);

    const entry = readKeyEntry(item, hash)!;

    expect(entry).toEqual({
      keyId: expect.stringMatching(/^key_/),
      expiresAt: second,
      bannedUntil: second,
      rejectionWindow: second,
      rejectionCount: 99_999,
      usedAt: second,
    });
  });

  it("has the key's public id, which tells the owner's", () => {
    const item = largestItem(1);
    const [hash = ''] = Object.keys(item.keys!.M!);

    const { keyId } = readKeyEntry(item, hash)!;

    expect(isKeyId(keyId)).toBe(true);
    expect(ownerIdOf(keyId)).toBe(item.ownerId!.S);
  });

  it('is that of a key that never expires and was never refused, as it is issued', () => {
    const item = { ownerId: { S: 'own_1' }, keys: { M: { hash: { M: { id: { S: '2' } } } } } };

    expect(readKeyEntry(item, 'hash')).toEqual({
      keyId: keyIdOf('own_1', '2'),
      expiresAt: undefined,
      bannedUntil: 0,
      rejectionWindow: 0,
      rejectionCount: 0,
      usedAt: 0,
    });
  });

  it('has the id of no key where the item says neither whose it is nor which', () => {
    const item = { keys: { M: { hash: { M: {} } } } };

    expect(readKeyEntry(item, 'hash')).toMatchObject({ keyId: 'key_' });
  });

  it.each(['missing', '__proto__', 'constructor'])('is not there for %p', (hash) => {
    expect(readKeyEntry(largestItem(1), hash)).toBeUndefined();
    expect(readKeyEntry({}, hash)).toBeUndefined();
  });
});
