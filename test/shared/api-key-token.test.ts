import { describe, expect, it } from '@jest/globals';
import { parseAuthorization } from '../../lambdas/shared/api-key.ts';
import { createKeyId, createToken, isKeyId } from '../../shared/api-key-token.ts';

describe('createToken', () => {
  it.each(['so_live_', 'so_test_'] as const)(
    'makes a token that the authorizer accepts for %s',
    (prefix) => {
      const token = createToken(prefix);

      expect(token).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{46}$`));
      expect(parseAuthorization(`Bearer ${token}`, prefix)).toBe(token);
    },
  );

  it('makes a token that the other stage refuses without a look at its keys', () => {
    const token = createToken('so_test_');

    expect(parseAuthorization(`Bearer ${token}`, 'so_live_')).toBeUndefined();
  });

  it('makes another token each time', () => {
    const tokens = new Set(Array.from({ length: 1_000 }, () => createToken('so_test_')));

    expect(tokens.size).toBe(1_000);
  });

  it('draws every base62 character equally often', () => {
    const counts = new Map<string, number>();

    for (let index = 0; index < 2_000; index++) {
      for (const character of createToken('so_test_').slice(8, 48)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }

    // 80,000 draws of 62: a byte modulo 62 would favour the first eight characters by a quarter.
    const expected = 80_000 / 62;
    const chiSquared = [...counts.values()].reduce(
      (sum, count) => sum + (count - expected) ** 2 / expected,
      0,
    );
    expect(counts.size).toBe(62);
    expect(chiSquared).toBeLessThan(140);
  });
});

describe('createKeyId', () => {
  it('makes ids that are long enough for an API Gateway key value, and hold no token', () => {
    const keyId = createKeyId();

    expect(keyId.length).toBeGreaterThanOrEqual(30);
    expect(isKeyId(keyId)).toBe(true);
  });
});

describe('isKeyId', () => {
  it.each([
    '',
    'key_',
    'key_abc',
    `key_${'a'.repeat(33)}`,
    `KEY_${'a'.repeat(32)}`,
    `so_test_${'a'.repeat(46)}`,
  ])('refuses %p', (text) => {
    expect(isKeyId(text)).toBe(false);
  });
});
