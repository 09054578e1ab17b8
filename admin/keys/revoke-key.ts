import { orHalfDone } from '../owners/half-done.ts';
import type { DocumentOfOwner } from '../owners/stored-owner.ts';
import { change } from '../stage/conditional-writes.ts';
import type { KeyStore } from '../stage/key-store.ts';
import type { StoredKey } from './find-key.ts';

export interface Revocation {
  keyId: string;
  /** False when the key had been revoked before, and this run only made sure of it. */
  wasActive: boolean;
}

/**
 * Revokes a key: its entry goes first, from which moment on the token is refused, then the details
 * say when that was. Revoking again is no error and completes what an interrupted command has left.
 *
 * @throws OperatorError when one of the two writes fails
 */
export async function revokeKey(key: StoredKey, store: KeyStore): Promise<Revocation> {
  const { keyId } = key;
  return orHalfDone(`${keyId} may be revoked in part only`, async () => {
    await removeEntry(key, store);
    await noteRevocation(key, store);
    return { keyId, wasActive: key.entry !== undefined };
  });
}

async function removeEntry({ owner, tokenHash }: StoredKey, store: KeyStore): Promise<void> {
  await change<DocumentOfOwner>(
    {
      table: store.apiKeysTable,
      key: { ownerHash: owner.details.ownerHash },
      update: 'REMOVE #keys.#key',
      condition: 'attribute_exists(#keys.#key)',
      names: { '#keys': 'keys', '#key': tokenHash },
    },
    store,
  );
}

/** What the entry knew and is worth keeping: the last use, and the expiry it would have had. */
async function noteRevocation(
  { keyId, owner, details, entry }: StoredKey,
  store: KeyStore,
): Promise<void> {
  if (!details) return;
  const noted = {
    revokedAt: details.revokedAt ?? new Date(store.now()).toISOString(),
    usedAt: entry?.usedAt || details.usedAt,
    expiresAt: entry?.expiresAt ?? details.expiresAt,
  };
  const fields = Object.entries(noted).filter(([, value]) => value !== undefined);
  await change(
    {
      table: store.ownersTable,
      key: { ownerId: owner.details.ownerId },
      update: `SET ${fields.map(([field]) => `#keys.#key.${field} = :${field}`).join(', ')}`,
      condition: 'attribute_exists(#keys.#key)',
      names: { '#keys': 'keys', '#key': keyId },
      values: Object.fromEntries(fields.map(([field, value]) => [`:${field}`, value])),
    },
    store,
  );
}
