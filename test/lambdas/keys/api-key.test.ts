import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  base62,
  hashOwnerPart,
  hashToken,
  parseAuthorization,
  tokenChecksum,
} from '../../../lambdas/keys/api-key.ts';
import { exampleToken, keyPrefix, otherKeyPrefix } from '../../helpers/dynamodb/key-items.ts';

const prefix = keyPrefix;
const token = exampleToken();
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
    ['one character too many', `Bearer ${token}0`],
    ["another stage's key", `Bearer ${exampleToken(otherKeyPrefix)}`],
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

it('The checksum is six base62 digits of the CRC-32, with leading zeros', () => {
  // crc32('123456789') is 0xcbf43926, the check value of the algorithm's catalogue entry.
  expect(tokenChecksum('123456789')).toBe('3jZRME');
  expect(tokenChecksum('')).toBe('000000');
});

it("The hashes are the SHA-256 of the token, and of the prefix and the owner's twenty characters", () => {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url');

  expect(hashToken(token)).toBe(sha256(token));
  expect(hashOwnerPart(token)).toBe(sha256(token.slice(0, prefix.length + 20)));
});
