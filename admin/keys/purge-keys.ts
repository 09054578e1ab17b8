import { allOwners } from '../owners/find-owner.ts';
import { findGatewayKeys } from '../owners/gateway-key.ts';
import { orHalfDone } from '../owners/half-done.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { keysOf, type StoredKey } from './find-key.ts';
import { forgetDetails } from './grant-key.ts';
import { revokeKey } from './revoke-key.ts';

/** Keys that were revoked, or have expired, before a moment in Unix seconds. */
export async function endedKeys(beforeSeconds: number, store: KeyStore): Promise<StoredKey[]> {
  const keys = (await allOwners(store)).flatMap(keysOf);
  return keys.filter((key) => (endOf(key) ?? Number.POSITIVE_INFINITY) < beforeSeconds);
}

/**
 * Forgets keys that have ended: what is left of an expired one's entry, and the details. Stopped in
 * between, running it again finds those that are left.
 *
 * @throws OperatorError when DynamoDB fails
 */
export async function purgeKeys(keys: readonly StoredKey[], store: KeyStore): Promise<void> {
  await orHalfDone('Some of the keys may be left', async () => {
    for (const key of keys) {
      if (key.entry) await revokeKey(key, store);
      await forgetDetails(key.owner.details.ownerId, key.keyId, store);
    }
  });
}

/**
 * Deletes the API Gateway keys of all owners of the stage, before its stack is destroyed: they are
 * no part of the stack. Until then every request is answered 503.
 *
 * @returns how many there were
 * @throws OperatorError when API Gateway fails
 */
export async function purgeGatewayKeys(store: KeyStore): Promise<number> {
  return orHalfDone('Some of the API Gateway keys may be left', async () => {
    const ids = await findGatewayKeys(store);
    for (const apiKey of ids) await store.gateway.deleteApiKey({ apiKey });
    return ids.length;
  });
}

function endOf({ details, entry }: StoredKey): number | undefined {
  if (!entry && details?.revokedAt) return Date.parse(details.revokedAt) / 1_000;
  return entry?.expiresAt;
}
