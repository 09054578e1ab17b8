import { randomInt } from 'node:crypto';
import { tokenChecksum } from '../lambdas/shared/api-key.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 40;
const keyIdLength = 32;

/**
 * A new bearer token: the stage's prefix, 40 random base62 characters (238 bits) and 6 of checksum.
 * It is shown to its owner once and stored nowhere.
 */
export function createToken(prefix: string): string {
  const body = prefix + randomBase62(secretLength);
  return body + tokenChecksum(body);
}

/** A new public key id, safe in logs; API Gateway wants at least 20 characters of a key's value. */
export function createKeyId(): string {
  return `key_${randomBase62(keyIdLength)}`;
}

/** Whether a text has the form of a key id. */
export function isKeyId(text: string): boolean {
  return /^key_[0-9A-Za-z]{32}$/.test(text);
}

// randomInt draws from the CSPRNG and rejects what would favour some characters over others.
function randomBase62(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}
