import { allOwners, findOwner } from '../owners/find-owner.ts';
import type { KeyStage } from '../stage/key-stage.ts';
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
  stage: KeyStage,
  owner?: string,
): Promise<StoredKey[]> {
  const owners = owner === undefined ? await allOwners(stage) : [await findOwner(owner, stage)];
  const latestEnd = stage.now() - olderThanSeconds * 1_000;
  return owners.flatMap(keysOf).filter((key) => {
    const { status, revokedAt, createdAt, expiresAt } = keyView(key, stage.now());
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
export async function purgeKeys(keys: readonly StoredKey[], stage: KeyStage): Promise<void> {
  await runRepeatable('Some keys may be purged and others not', async () => {
    for (const key of keys) {
      if (key.entry) await removeEntry(key, stage);
      await removeDetails(key.owner.details.ownerId, key.keyId, stage);
    }
  });
}
