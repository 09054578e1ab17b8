import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { hashOwnerPart, hashToken, tokenChecksum } from '../../lambdas/shared/api-key.ts';
import { windowStarts } from '../../lambdas/shared/windows.ts';

/** The outcome of a canned key's requests, which its owner's item always leads to. */
export type KeyCase = 'admitted' | 'full' | 'banned' | 'unknown';

type Item = Record<string, AttributeValue>;

const knownCases = ['admitted', 'full', 'banned'] as const;
const keysPerOwner = 4;
const limits = { perMinute: 60_000, perDay: 10_000_000 };

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
    { M: { id: text(`${index}`.padStart(12, '0')), ...numbers({ bannedUntil, usedAt: 0 }) } },
  ]);
  return {
    ownerHash: text(ownerHash!),
    ownerId: text(ownerIdOf(keyCase)),
    plan: text('enterprise'),
    status: text('active'),
    ...numbers(limits),
    ...numbers({ minuteWindow: minute, minuteCount: keyCase === 'full' ? limits.perMinute : 17 }),
    ...numbers({ dayWindow: day, dayCount: 0 }),
    keys: { M: Object.fromEntries(keys) },
  };
}

/** The item of a key that the peer's authorizer reads; undefined for an unknown key. */
export function cannedPeerKey(keyHash: string | undefined): Item | undefined {
  const keyCase = knownCases.find((known) => hashToken(cannedToken(known)) === keyHash);
  return (
    keyCase && {
      keyHash: text(keyHash!),
      keyId: text('key_0123456789abcdefghijklmnopqrstuv'),
      ownerId: text(ownerIdOf(keyCase)),
      plan: text('enterprise'),
      status: text('active'),
      ...numbers(limits),
    }
  );
}

/** Whether a counter of the peer, whose key ends with an owner's id, is used up. */
export function isPeerCounterFull(key: string): boolean {
  // The peer has no bans, so it is compared with a key that is over its limit.
  return key.endsWith(ownerIdOf('full')) || key.endsWith(ownerIdOf('banned'));
}

function ownerIdOf(keyCase: KeyCase): string {
  return `own_${keyCase.padEnd(20, '0')}`;
}

function text(value: string): AttributeValue {
  return { S: value };
}

function numbers(values: Record<string, number>): Item {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { N: String(value) }]),
  );
}
