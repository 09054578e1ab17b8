import { createHash } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { base62 } from '../../../../lambdas/keys/api-key.ts';
import { keyPrefix } from '../../../../test/helpers/dynamodb/key-items.ts';
import { createOwnerIdentity, createToken, isKeyId, isOwnerId } from '../../store/identities.ts';

const { seed } = createOwnerIdentity(keyPrefix);

// With 80,000 draws, the bias of a byte modulo 62 would be visible: a quarter for 8 characters.
it('a token derives twenty characters from the hash of the seed', () => {
  const digest = createHash('sha256').update(Buffer.from(seed, 'base64url')).digest('hex');

  const digits = [...createToken(keyPrefix, seed).slice(keyPrefix.length, -26)];

  const value = digits.reduce((sum, digit) => sum * 62n + BigInt(base62.indexOf(digit)), 0n);
  expect(value).toBe(BigInt(`0x${digest}`) % 62n ** 20n);
});

it.each([
  ...['', 'key_', 'key_abc', `key_${'a'.repeat(33)}`, `KEY_${'a'.repeat(32)}`],
  ...['own_', `own_${'a'.repeat(19)}`, `own_${'a'.repeat(21)}`, `OWN_${'a'.repeat(20)}`],
  ...[`own_${'a'.repeat(19)}-`, `${keyPrefix}${'a'.repeat(46)}`],
])('%p does not have the form of an id', (text) => {
  expect([isKeyId(text), isOwnerId(text)]).toEqual([false, false]);
});
