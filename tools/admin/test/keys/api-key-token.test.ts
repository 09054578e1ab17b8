import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { base62, hashOwnerPart, parseAuthorization } from '../../../../lambdas/shared/api-key.ts';
import {
  createKeyId,
  createOwnerIdentity,
  createToken,
  isKeyId,
  isOwnerId,
  ownCharactersOf,
  ownerIdOf,
} from '../../keys/api-key-token.ts';

const { seed } = createOwnerIdentity('so_test_');

describe('createToken', () => {
  it.each(['so_live_', 'so_test_'] as const)(
    'makes a token that the authorizer accepts for %s',
    (prefix) => {
      const token = createToken(prefix, seed);

      expect(token).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{46}$`));
      expect(parseAuthorization(`Bearer ${token}`, prefix)).toBe(token);
    },
  );

  // With 80,000 draws, the bias of a byte modulo 62 would be visible: a quarter for 8 characters.
  it("draws every base62 character of a key's own equally often", () => {
    const tokens = Array.from({ length: 4_000 }, () => createToken('so_test_', seed));

    const drawn = [...tokens.map((token) => token.slice(28, 48)).join('')];
    const counts = [...Map.groupBy(drawn, (character) => character).values()];
    const expected = drawn.length / 62;
    const deviations = counts.map(({ length }) => (length - expected) ** 2 / expected);
    expect(counts).toHaveLength(62);
    expect(deviations.reduce((sum, deviation) => sum + deviation, 0)).toBeLessThan(140);
  });

  it('derives twenty characters from the hash of the seed', () => {
    const digest = createHash('sha256').update(Buffer.from(seed, 'base64url')).digest('hex');

    const digits = [...createToken('so_test_', seed).slice(8, 28)];

    const value = digits.reduce((sum, digit) => sum * 62n + BigInt(base62.indexOf(digit)), 0n);
    expect(value).toBe(BigInt(`0x${digest}`) % 62n ** 20n);
  });
});

describe('createOwnerIdentity', () => {
  it('makes a public id, long enough for an API Gateway key value, and a seed of 32 bytes', () => {
    const { ownerId } = createOwnerIdentity('so_test_');

    expect(ownerId.length).toBeGreaterThanOrEqual(20);
    expect(isOwnerId(ownerId)).toBe(true);
    expect(Buffer.from(seed, 'base64url')).toHaveLength(32);
  });

  it("returns the hash of the owner's part of all its tokens", () => {
    const owner = createOwnerIdentity('so_test_');

    const hashes = [1, 2, 3].map(() => hashOwnerPart(createToken('so_test_', owner.seed)));

    expect(new Set(hashes)).toEqual(new Set([owner.ownerHash]));
  });
});

describe('createKeyId', () => {
  it("creates ids that contain the owner's id", () => {
    const { ownerId } = createOwnerIdentity('so_test_');

    const keyIds = [1, 2, 3].map(() => createKeyId(ownerId));

    expect(new Set(keyIds).size).toBe(3);
    expect(keyIds.every(isKeyId)).toBe(true);
    expect(keyIds.map(ownerIdOf)).toEqual([ownerId, ownerId, ownerId]);
    expect(keyIds.map(ownCharactersOf)).toEqual(keyIds.map((keyId) => keyId.slice(24)));
  });
});

describe('the form of an id', () => {
  it.each([
    ...['', 'key_', 'key_abc', `key_${'a'.repeat(33)}`, `KEY_${'a'.repeat(32)}`],
    ...['own_', `own_${'a'.repeat(19)}`, `own_${'a'.repeat(21)}`, `OWN_${'a'.repeat(20)}`],
    ...[`own_${'a'.repeat(19)}-`, `so_test_${'a'.repeat(46)}`],
  ])('is not that of %p', (text) => {
    expect([isKeyId(text), isOwnerId(text)]).toEqual([false, false]);
  });
});
