import { WrongStateError } from '../../shared/errors.ts';
import { change } from '../stage/conditional-writes.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { findKey } from './find-key.ts';
import { describeKey, isBanned, type KeyDescription } from './key-description.ts';

export interface Unbanned extends KeyDescription {
  wasBanned: boolean;
}

/**
 * Lifts a key's ban, and forgets the rejections that led to it. Takes effect with the next request.
 *
 * @throws OperatorError when no key has the id, or it is not valid
 */
export async function unbanKey(keyId: string, store: KeyStore): Promise<Unbanned> {
  const key = await findKey(keyId, store);
  const { entry, owner, tokenHash } = key;
  if (!entry) {
    const { status } = describeKey(key, store.now());
    throw new WrongStateError(`${keyId} is ${status}: it has no ban that could be lifted`);
  }
  await change(
    {
      table: store.apiKeysTable,
      key: { ownerHash: owner.details.ownerHash },
      update:
        'REMOVE #keys.#key.bannedUntil, #keys.#key.bannedBy, #keys.#key.rejectionWindow, ' +
        '#keys.#key.rejectionCount',
      condition: 'attribute_exists(#keys.#key)',
      names: { '#keys': 'keys', '#key': tokenHash },
    },
    store,
  );
  const now = describeKey(await findKey(keyId, store), store.now());
  return { ...now, wasBanned: isBanned(entry, store.now()) };
}
