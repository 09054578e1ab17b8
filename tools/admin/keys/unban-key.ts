import { WrongStateError } from '../../shared/errors.ts';
import { changeItem } from '../owners/stored-owner.ts';
import { present } from '../stage/dynamodb-calls.ts';
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
  const path = `keys.${before.tokenHash}`;
  const remove = ['bannedUntil', 'rejectionWindow', 'rejectionCount'].map(
    (name) => `${path}.${name}`,
  );
  const lifting = { remove, where: { [path]: present } };
  const lifted = before.entry && (await changeItem(before.owner.details, lifting, store));
  if (!lifted) {
    throw new WrongStateError(
      `${keyId} is ${before.entry ? 'revoked' : status} for good: lifting a ban would change nothing`,
    );
  }
  const key = await findKey(keyId, store);
  return { ...keyView(key, store.now()), wasBanned: bannedUntil !== null };
}
