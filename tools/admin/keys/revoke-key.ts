import type { KeyEntry } from '../../../lambdas/shared/owner-record.ts';
import { HalfDoneError } from '../../shared/errors.ts';
import { type DocumentOfOwner, readOwnerItem } from '../owners/stored-owner.ts';
import { change, settingAll } from '../stage/dynamodb-calls.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { failureText } from '../stage/service-failure.ts';
import { findKey, type StoredKey } from './find-key.ts';

interface Revocation {
  keyId: string;
  /** False if the key had no entry any more, because it had been revoked before. */
  wasActive: boolean;
}

/**
 * Revokes a key. First its entry is removed from the ApiKeys table, after which the token is refused;
 * then the revocation is recorded in its details. Revoking a key again is not an error, and completes
 * a revocation that was interrupted between the two writes.
 *
 * @throws OperatorError when no key has this id, or DynamoDB fails
 */
export async function revokeKey(keyId: string, store: KeyStore): Promise<Revocation> {
  const key = await findKey(keyId, store);
  const entry = key.entry && ((await removeEntry(key, store)) ?? key.entry);
  try {
    await recordRevocation(key, entry, store);
  } catch (error) {
    throw new HalfDoneError(
      `${keyId} is revoked, and refused already; that could not be written down: ` +
        failureText(error),
      { cause: error, remedy: 'run the command again' },
    );
  }
  return { keyId, wasActive: entry !== undefined };
}

/** Removes a key's entry. Returns it as it was before, or undefined if it did not exist. */
export async function removeEntry(
  { tokenHash, owner }: StoredKey,
  store: KeyStore,
): Promise<KeyEntry | undefined> {
  const before = await change<DocumentOfOwner>(
    {
      table: store.apiKeysTable,
      key: { ownerHash: owner.details.ownerHash },
      update: 'REMOVE #keys.#key',
      condition: 'attribute_exists(#keys.#key)',
      names: { '#keys': 'keys', '#key': tokenHash },
      returnsOld: true,
    },
    store,
  );
  return before && readOwnerItem(before).keys.get(tokenHash);
}

/** Records in a key's details that it is revoked, with the last use and the expiry of its entry. */
export async function recordRevocation(
  { keyId, owner, details }: StoredKey,
  entry: KeyEntry | undefined,
  store: KeyStore,
): Promise<void> {
  if (!details || (details.revokedAt && !entry)) return;
  const kept = {
    revokedAt: new Date(store.now()).toISOString(),
    ...(entry?.usedAt && { usedAt: entry.usedAt }),
    ...(entry?.expiresAt && { expiresAt: entry.expiresAt }),
  };
  const { names, ...update } = settingAll(kept, '#keys.#key');
  await change(
    {
      table: store.ownersTable,
      key: { ownerId: owner.details.ownerId },
      ...update,
      condition: 'attribute_exists(#keys.#key)',
      names: { ...names, '#keys': 'keys', '#key': keyId },
    },
    store,
  );
}
