import { createHash, randomBytes, randomInt } from 'node:crypto';
import {
  base62,
  hashOwnerPart,
  keyCharactersLength,
  ownerCharactersLength,
  tokenChecksum,
} from '../../../lambdas/keys/api-key.ts';
import { keyIdOf } from '../../../lambdas/keys/owner-record.ts';

const seedBytes = 32;
const ownerIdLength = 20;
const keyOwnLength = 12;
const ownerIdForm = new RegExp(`^own_[0-9A-Za-z]{${ownerIdLength}}$`);
const keyIdForm = new RegExp(`^key_[0-9A-Za-z]{${ownerIdLength + keyOwnLength}}$`);

/** Creates the identity of a new owner, for a stage with this token prefix, such as `so_live_`. */
export function createOwnerIdentity(prefix: string) {
  const seed = randomBytes(seedBytes).toString('base64url');
  return {
    /** The public id, at least 20 characters long because it is the value of an API Gateway key. */
    ownerId: `own_${randomBase62(ownerIdLength)}`,
    /** 32 random bytes in base64url, from which the owner's part of its tokens is derived. */
    seed,
    /** The partition key of the owner's item. */
    ownerHash: hashOwnerPart(createToken(prefix, seed)),
  };
}

/**
 * Creates a bearer token of an owner: the stage's prefix, the owner's 20 characters, 20 random characters (119 bits)
 * and a checksum of 6 characters. The caller shows the token once and must not store it.
 */
export function createToken(prefix: string, seed: string): string {
  const body = prefix + ownerCharacters(seed) + randomBase62(keyCharactersLength);
  return body + tokenChecksum(body);
}

/** Creates a key id. */
export function createKeyId(ownerId: string): string {
  return keyIdOf(ownerId, randomBase62(keyOwnLength));
}

/** Returns the owner's id that a key id contains. */
export function ownerIdOf(keyId: string): string {
  return `own_${keyId.slice('key_'.length, -keyOwnLength)}`;
}

/** Returns a key id's own characters, which the key's entry stores as `id`. */
export function ownCharactersOf(keyId: string): string {
  return keyId.slice(-keyOwnLength);
}

/** Whether a text has the form of a key id. */
export function isKeyId(text: string): boolean {
  return keyIdForm.test(text);
}

/** Whether a text has the form of an owner id. */
export function isOwnerId(text: string): boolean {
  return ownerIdForm.test(text);
}

// The characters come from the seed's SHA-256, so that they do not reveal the seed. The modulo bias is negligible,
// because 62^20 is 2^136 times smaller than 2^256.
function ownerCharacters(seed: string): string {
  const digest = createHash('sha256').update(Buffer.from(seed, 'base64url')).digest('hex');
  let rest = BigInt(`0x${digest}`);
  let digits = '';
  for (let index = 0; index < ownerCharactersLength; index++) {
    digits = base62.charAt(Number(rest % 62n)) + digits;
    rest /= 62n;
  }
  return digits;
}

// `randomInt` uses a cryptographically secure generator without modulo bias.
function randomBase62(length: number): string {
  return Array.from({ length }, () => base62[randomInt(base62.length)]).join('');
}
