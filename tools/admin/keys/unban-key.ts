import { WrongStateError } from '../../shared/errors.ts';
import { change } from '../stage/dynamodb-calls.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { findKey } from './find-key.ts';
import { type KeyView, keyView } from './key-view.ts';

/**
 * Lifts a key's ban and resets its counted rejections. The usage of its owner's limits stays as it is.
 * It is not an error if the key is not banned.
 *
 * @throws OperatorError when there is no such key, or it is not valid any more
 */
export async function unbanKey(
  keyId: string,
  store: KeyStore,
): Promise<KeyView & { wasBanned: boolean }> {
  const before = await findKey(keyId, store);
  const { bannedUntil, status } = keyView(before, store.now());
  const lifted =
    before.entry &&
    (await change(
      {
        table: store.apiKeysTable,
        key: { ownerHash: before.owner.details.ownerHash },
        update: `REMOVE ${banAttributes.map((name) => `#keys.#key.${name}`).join(', ')}`,
        condition: 'attribute_exists(#keys.#key)',
        names: { '#keys': 'keys', '#key': before.tokenHash },
      },
      store,
    ));
  if (!lifted) {
    throw new WrongStateError(
      `${keyId} is ${before.entry ? 'revoked' : status} for good: lifting a ban would change nothing`,
    );
  }
  const key = await findKey(keyId, store);
  return { ...keyView(key, store.now()), wasBanned: bannedUntil !== null };
}

const banAttributes = ['bannedUntil', 'rejectionWindow', 'rejectionCount'] as const;
