import { createHash } from 'node:crypto';

/*
 * The format of a token:
 *
 *   the stage's  20 base62 characters       20 base62 characters    6 base62 characters of
 *   prefix       common to an owner's keys  of this key alone       CRC-32 over all before
 *
 * The hash of the first two parts names the owner's item in the table. The hash of the whole token names
 * the key's entry in this item. The characters of a single key are stored nowhere. The characters that
 * are common to an owner's keys derive from a seed in the `Owners` table, which the functions cannot read.
 */

/** The number of random characters of a token that are common to all keys of an owner. */
export const ownerCharactersLength = 20;
/** The number of random characters of a token that belong to one key. */
export const keyCharactersLength = 20;
const checksumLength = 6;
/** The digits of base 62, in their order. */
export const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** The number of characters that follow a token's prefix. */
export const charactersAfterPrefix = ownerCharactersLength + keyCharactersLength + checksumLength;
const credentials = /^bearer +([0-9A-Za-z_]+)$/i;

/**
 * Returns the token in an `Authorization` header; undefined if the token cannot be a key of this stage. So the
 * authorizer refuses a mistyped key, or a key of another stage, without a request to DynamoDB. The case of the scheme
 * is ignored (RFC 9110, section 11.1), and one or more spaces follow the scheme (RFC 6750, section 2.1).
 */
export function parseAuthorization(header: string | undefined, prefix: string): string | undefined {
  const token = credentials.exec(header ?? '')?.[1];
  return token !== undefined && isWellFormed(token, prefix) ? token : undefined;
}

/** The SHA-256 of the whole token in base64url: the name of the key's entry in its owner's item. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** The SHA-256 of the common part of an owner's tokens in base64url, which is the partition key of the owner's item. */
export function hashOwnerPart(token: string): string {
  return hashToken(token.slice(0, -(keyCharactersLength + checksumLength)));
}

/** The six characters that end a token: a CRC-32 in base 62, most significant digit first. */
export function tokenChecksum(prefixAndRandom: string): string {
  let rest = crc32(prefixAndRandom);
  let digits = '';
  for (let index = 0; index < checksumLength; index++) {
    digits = base62.charAt(rest % base62.length) + digits;
    rest = Math.floor(rest / base62.length);
  }
  return digits;
}

/**
 * The CRC-32 of an ASCII text, in the variant of zip and gzip (ISO-HDLC). `node:zlib` has the same function, but loading
 * it would add two milliseconds to a cold start of the authorizer.
 */
function crc32(text: string): number {
  let remainder = 0xffffffff;
  for (let index = 0; index < text.length; index++) {
    remainder ^= text.charCodeAt(index);
    for (let bit = 0; bit < 8; bit++) {
      remainder = (remainder >>> 1) ^ (remainder & 1 ? 0xedb88320 : 0);
    }
  }
  return ~remainder >>> 0;
}

function isWellFormed(token: string, prefix: string): boolean {
  const checksumAt = prefix.length + ownerCharactersLength + keyCharactersLength;
  return (
    token.startsWith(prefix) &&
    !token.includes('_', prefix.length) &&
    token.slice(checksumAt) === tokenChecksum(token.slice(0, checksumAt))
  );
}
