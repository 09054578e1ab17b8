import { hashOwnerPart, hashToken, tokenChecksum } from '../../lambdas/domain/api-key.ts';
import type { Item } from '../../lambdas/domain/item.ts';
import { windowStarts } from '../../lambdas/domain/windows.ts';
import { attributes } from '../../test/helpers/dynamodb/attribute-values.ts';

const keysPerOwner = 4;
const perMinute = 60_000;
const ownerId = 'own_0123456789abcdefghij';

/** Whether the requests of a canned key are admitted, or rejected because its owner's minute is full. */
export type KeyCase = 'admitted' | 'full';

/** @param index distinguishes the keys of an owner */
export function cannedToken(keyCase: KeyCase, index = 0): string {
  const body = `so_test_${keyCase.padEnd(20, '0')}${String(index).padStart(20, '0')}`;
  return body + tokenChecksum(body);
}

/** The item of an owner with four keys that our authorizer reads. */
export function cannedOwner(ownerHash: string): Item {
  const keyCase = ownerHash === hashOwnerPart(cannedToken('full')) ? 'full' : 'admitted';
  const { minute, day } = windowStarts(Math.floor(Date.now() / 1_000));
  const keys = Array.from({ length: keysPerOwner }, (_, index) => [
    hashToken(cannedToken(keyCase, index)),
    { id: String(index).padStart(12, '0'), bannedUntil: 0, usedAt: 0 },
  ]);
  return attributes({
    ownerHash,
    ownerId,
    plan: 'enterprise',
    status: 'active',
    perMinute,
    perDay: 10_000_000,
    minuteWindow: minute,
    minuteCount: keyCase === 'full' ? perMinute : 17,
    dayWindow: day,
    dayCount: 0,
    keys: Object.fromEntries(keys),
  });
}

/** The item of a key that the peer's authorizer reads. */
export function cannedPeerKey(keyHash: string): Item {
  return attributes({
    keyHash,
    keyId: 'key_0123456789abcdefghijklmnopqrstuv',
    ownerId,
    plan: 'enterprise',
    status: 'active',
  });
}
