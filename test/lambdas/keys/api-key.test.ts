import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  hashOwnerPart,
  hashToken,
  parseAuthorization,
  tokenChecksum,
} from '../../../lambdas/keys/api-key.ts';
import { exampleToken, keyPrefix, otherKeyPrefix } from '../../helpers/dynamodb/key-items.ts';

const prefix = keyPrefix;
const token = exampleToken();
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const parse = (header: string | undefined) => parseAuthorization(header, prefix);

describe('parseAuthorization', () => {
  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR', 'Bearer '])(
    'R16: returns the token after the scheme in any case, and several spaces after it: "%s"',
    (scheme) => {
      expect(parse(`${scheme} ${token}`)).toBe(token);
    },
  );

  it.each([
    ['no header', undefined],
    ['the token alone', token],
    ['another scheme', `Basic ${token}`],
    ['a longer scheme', `XBearer ${token}`],
    ['no space', `Bearer${token}`],
    ['a tab', `Bearer\t${token}`],
    ['a space before the scheme', ` Bearer ${token}`],
    ['a space after the token', `Bearer ${token} `],
    ['a line break after the token', `Bearer ${token}\n`],
    ['a letter that only looks like an ASCII one', `Bearer ${token.replace('a', 'а')}`],
    ['one character too many', `Bearer ${token}0`],
    ["another stage's key", `Bearer ${exampleToken(otherKeyPrefix)}`],
    ['the prefix in capitals', `Bearer ${token.replace(prefix, prefix.toUpperCase())}`],
  ])('R18: refuses %s', (_name, header) => {
    expect(parse(header)).toBeUndefined();
  });

  it('refuses an underscore among the random characters, whatever the checksum', () => {
    const body = `${prefix}${'a'.repeat(39)}_`;

    expect(parse(`Bearer ${body}${tokenChecksum(body)}`)).toBeUndefined();
  });

  it('R18: refuses a key with any one character changed', () => {
    const position = fc.integer({ min: 0, max: token.length - 1 });
    const character = fc.constantFrom(...base62, '_', '-', 'é', ' ');

    fc.assert(
      fc.property(position, character, (index, replacement) => {
        fc.pre(token[index] !== replacement);
        const changed = token.slice(0, index) + replacement + token.slice(index + 1);

        expect(parse(`Bearer ${changed}`)).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('tokenChecksum', () => {
  it('is six base62 digits of the CRC-32, with leading zeros', () => {
    // crc32('123456789') is 0xcbf43926, the check value of the algorithm's catalogue entry.
    const value = [...tokenChecksum('123456789')].reduce(
      (sum, digit) => sum * 62 + base62.indexOf(digit),
      0,
    );

    expect(value).toBe(0xcbf43926);
    expect(tokenChecksum('')).toBe('000000');
  });
});

describe('hashToken', () => {
  it('is the SHA-256 of the whole token in base64url', () => {
    expect(hashToken('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
    expect(hashToken(token)).toBe(createHash('sha256').update(token).digest('base64url'));
  });
});

describe('hashOwnerPart', () => {
  it("is the SHA-256 of the prefix and the owner's twenty characters", () => {
    const ownerPart = token.slice(0, prefix.length + 20);

    expect(hashOwnerPart(token)).toBe(createHash('sha256').update(ownerPart).digest('base64url'));
  });
});
