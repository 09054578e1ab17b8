import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

export type TokenPrefix = 'so_live_' | 'so_test_';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 40;
const checksumLength = 6;
const keyIdLength = 32;

/**
 * A new bearer token: the prefix, 40 random base62 characters (238 bits) and 6 of checksum.
 * It is shown to its owner once and stored nowhere.
 */
export function createToken(prefix: TokenPrefix): string {
  const body = prefix + randomBase62(secretLength);
  return body + checksumOf(body);
}

/** A new public key id, safe in logs; API Gateway wants at least 20 characters of a key's value. */
export function createKeyId(): string {
  return `key_${randomBase62(keyIdLength)}`;
}

/** The `ApiKeys` table's partition key: the lower-case hex SHA-256 of the whole token. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

// randomInt draws from the CSPRNG and rejects what would favour some characters over others.
function randomBase62(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

function checksumOf(body: string): string {
  let value = crc32(body);
  let digits = '';
  for (let place = 0; place < checksumLength; place++) {
    digits = alphabet[value % alphabet.length] + digits;
    value = Math.floor(value / alphabet.length);
  }
  return digits;
}
