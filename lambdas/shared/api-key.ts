import { createHash } from 'node:crypto';

/*
 * A token:
 *
 *   so_live_  20 base62 characters       20 base62 characters    6 base62 characters of
 *             common to an owner's keys  of this key alone       CRC-32 over all before
 *
 * The hash of the first two parts names the owner's item in the table, the hash of the whole token
 * the key's entry in that item. Neither half of the secret is stored anywhere.
 */

/** How many characters of a token are common to all keys of an owner. */
export const ownerCharactersLength = 20;
/** How many are a key's own. */
export const ownCharactersLength = 20;
const checksumLength = 6;
const secretLength = ownerCharactersLength + ownCharactersLength + checksumLength;
const scheme = 'Bearer ';
/** The digits of base 62, in their order. */
export const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const credentials = /^bearer ([0-9A-Za-z_]+)$/i;

/**
 * The token in an `Authorization` header, if it can be a key of this stage at all: decided offline,
 * so a typing mistake or another stage's key costs no call to DynamoDB. The scheme's case does not
 * matter (RFC 9110, section 11.1); one space follows it.
 *
 * @param prefix the stage's own, such as `so_live_`
 */
export function parseAuthorization(header: string | undefined, prefix: string): string | undefined {
  // Looked at no further when it is too long: an expression takes stack for each character.
  if (!header || header.length > scheme.length + prefix.length + secretLength) return undefined;
  const token = credentials.exec(header)?.[1];
  return token !== undefined && isWellFormed(token, prefix) ? token : undefined;
}

/** The SHA-256 of the whole token, in base64url: the key's entry in its owner's item. */
export function hashToken(token: string): string {
  return sha256(token);
}

/**
 * The SHA-256, in base64url, of the prefix and the characters that are common to an owner's keys:
 * the partition key of the owner's item.
 *
 * @param token a well-formed one
 */
export function hashOwnerPart(token: string): string {
  return sha256(token.slice(0, -(ownCharactersLength + checksumLength)));
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
 * The usual CRC-32 (ISO-HDLC, as of zip and gzip) of an ASCII text. Node has one, in a module that
 * takes two milliseconds of a cold start to load, for the fifty bytes of a token.
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
  const checksumAt = prefix.length + ownerCharactersLength + ownCharactersLength;
  return (
    token.length === checksumAt + checksumLength &&
    token.startsWith(prefix) &&
    !token.includes('_', prefix.length) &&
    token.slice(checksumAt) === tokenChecksum(token.slice(0, checksumAt))
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
