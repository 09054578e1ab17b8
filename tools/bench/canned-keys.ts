import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { hashOwnerPart, hashToken, tokenChecksum } from '../../lambdas/shared/api-key.ts';
import type { Item } from '../../lambdas/shared/dynamodb.ts';
import { windowStarts } from '../../lambdas/shared/windows.ts';

const knownCases = ['admitted', 'full', 'banned'] as const;
const keysPerOwner = 4;
const perMinute = 60_000;

/** The outcome of all requests of a canned key, which follows from its owner's item. */
export type KeyCase = (typeof knownCases)[number] | 'unknown';

/** The token of a canned key. @param index distinguishes the keys of an owner */
export function cannedToken(keyCase: KeyCase, index = 0): string {
  const body = `so_test_${keyCase.padEnd(20, '0')}${String(index).padStart(20, '0')}`;
  return body + tokenChecksum(body);
}

/** The item of an owner with four keys that our authorizer reads; undefined for an unknown owner. */
export function cannedOwner(ownerHash: string | undefined): Item | undefined {
  const keyCase = knownCases.find((known) => hashOwnerPart(cannedToken(known)) === ownerHash);
  if (!keyCase) return undefined;
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const { minute, day } = windowStarts(nowSeconds);
  const bannedUntil = keyCase === 'banned' ? nowSeconds + 60 : 0;
  const keys = Array.from({ length: keysPerOwner }, (_, index) => [
    hashToken(cannedToken(keyCase, index)),
    { M: attributes({ id: String(index).padStart(12, '0'), bannedUntil, usedAt: 0 }) },
  ]);
  const owner = attributes({
    ownerHash: ownerHash!,
    ownerId: ownerIdOf(keyCase),
    plan: 'enterprise',
    status: 'active',
    perMinute,
    perDay: 10_000_000,
    minuteWindow: minute,
    minuteCount: keyCase === 'full' ? perMinute : 17,
    dayWindow: day,
    dayCount: 0,
  });
  return { ...owner, keys: { M: Object.fromEntries(keys) } };
}

/** The item of a key that the peer's authorizer reads; undefined for an unknown key. */
export function cannedPeerKey(keyHash: string | undefined): Item | undefined {
  const keyCase = knownCases.find((known) => hashToken(cannedToken(known)) === keyHash);
  if (!keyCase) return undefined;
  return attributes({
    keyHash: keyHash!,
    keyId: 'key_0123456789abcdefghijklmnopqrstuv',
    ownerId: ownerIdOf(keyCase),
    plan: 'enterprise',
    status: 'active',
  });
}

/** Whether a counter of the peer, whose key ends with an owner's id, is used up. */
export function isPeerCounterFull(key: string): boolean {
  // The peer has no bans, so a key over its limit takes the place of a banned one.
  return key.endsWith(ownerIdOf('full')) || key.endsWith(ownerIdOf('banned'));
}

function ownerIdOf(keyCase: KeyCase): string {
  return `own_${keyCase.padEnd(20, '0')}`;
}

function attributes(values: Record<string, string | number>): Item {
  const entries = Object.entries(values).map(([name, value]): [string, AttributeValue] => [
    name,
    typeof value === 'string' ? { S: value } : { N: String(value) },
  ]);
  return Object.fromEntries(entries);
}
