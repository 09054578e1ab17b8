import { createHash, randomBytes, randomInt } from 'node:crypto';
import {
  base62,
  hashOwnerPart,
  ownCharactersLength,
  ownerCharactersLength,
  tokenChecksum,
} from '../lambdas/shared/api-key.ts';
import { keyIdOf } from '../lambdas/shared/owner-record.ts';

const seedBytes = 32;
const ownerIdLength = 20;
const keyOwnLength = 12;
const ownerIdForm = new RegExp(`^own_[0-9A-Za-z]{${ownerIdLength}}$`);
const keyIdForm = new RegExp(`^key_[0-9A-Za-z]{${ownerIdLength + keyOwnLength}}$`);

/** A new owner's identity. */
export interface OwnerIdentity {
  /** Public and safe in logs; API Gateway wants at least 20 characters of a key's value. */
  readonly ownerId: string;
  /** 32 random bytes in base64url, of which the part common to the owner's tokens is made. */
  readonly seed: string;
  /** The partition key of the owner's item. */
  readonly ownerHash: string;
}

/**
 * A new owner's identity.
 *
 * @param prefix the stage's own, such as `so_live_`
 */
export function createOwner(prefix: string): OwnerIdentity {
  const seed = randomBytes(seedBytes).toString('base64url');
  const ownerId = `own_${randomBase62(ownerIdLength)}`;
  return { ownerId, seed, ownerHash: hashOwnerPart(createToken(prefix, seed)) };
}

/**
 * A new bearer token of an owner: the stage's prefix, the owner's 20 characters, 20 random ones
 * (119 bits) and 6 of checksum. It is shown to its owner once and stored nowhere.
 */
export function createToken(prefix: string, seed: string): string {
  const body = prefix + ownerCharacters(seed) + randomBase62(ownCharactersLength);
  return body + tokenChecksum(body);
}

/** A new public key id of an owner, safe in logs. */
export function createKeyId(ownerId: string): string {
  return keyIdOf(ownerId, randomBase62(keyOwnLength));
}

/** The owner's id in a key id. */
export function ownerIdOf(keyId: string): string {
  return `own_${keyId.slice('key_'.length, -keyOwnLength)}`;
}

/** The characters of a key id that are the key's own: what its entry holds as `id`. */
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

/**
 * Of the seed's SHA-256, so that the characters say nothing about the seed. What the remainder
 * favours is nothing: 62^20 is smaller than 2^256 by a factor of 2^136.
 */
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

// randomInt draws from the CSPRNG and rejects what would favour some characters over others.
function randomBase62(length: number): string {
  return Array.from({ length }, () => base62[randomInt(base62.length)]).join('');
}
