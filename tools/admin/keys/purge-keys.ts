import { allOwners, findOwner } from '../owners/find-owner.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { runRepeatable } from '../stage/service-failure.ts';
import { keysOf, type StoredKey } from './find-key.ts';
import { removeDetails } from './issue-key.ts';
import type { KeyStatus } from './key-state.ts';
import { keyView } from './key-view.ts';
import { removeEntry } from './revoke-key.ts';

/**
 * Finds the keys that were revoked, expired or left unfinished at least this long ago.
 *
 * @param owner the id or name of an owner; without it, the keys of all owners are found
 */
export async function findPurgeable(
  olderThanSeconds: number,
  store: KeyStore,
  owner?: string,
): Promise<StoredKey[]> {
  const owners = owner === undefined ? await allOwners(store) : [await findOwner(owner, store)];
  const latestEnd = store.now() - olderThanSeconds * 1_000;
  return owners.flatMap(keysOf).filter((key) => {
    const { status, revokedAt, createdAt, expiresAt } = keyView(key, store.now());
    const ends: Partial<Record<KeyStatus, string | null>> = {
      revoked: revokedAt,
      unfinished: createdAt,
      expired: expiresAt,
    };
    const end = ends[status];
    return end ? Date.parse(end) <= latestEnd : false;
  });
}

/** Removes the records of keys that are no longer valid. If it is interrupted, run it again. */
export async function purgeKeys(keys: readonly StoredKey[], store: KeyStore): Promise<void> {
  await runRepeatable('Some keys may be purged and others not', async () => {
    for (const key of keys) {
      if (key.entry) await removeEntry(key, store);
      await removeDetails(key.owner.details.ownerId, key.keyId, store);
    }
  });
}
