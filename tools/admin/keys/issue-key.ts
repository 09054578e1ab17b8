import { quoted, WrongStateError } from '../../shared/errors.ts';
import { checkedText } from '../console/checked-text.ts';
import { findCompleteOwner } from '../owners/find-owner.ts';
import type { CompleteOwner, DocumentOfOwner } from '../owners/stored-owner.ts';
import { change } from '../stage/dynamodb-calls.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { type DraftKey, draftKey, grantKey, type IssuedKey, type KeyTraits } from './key-draft.ts';

export interface KeyRequest extends KeyTraits {
  /** The owner's id or name. */
  readonly owner: string;
}

const maxLabelLength = 100;

/**
 * The maximum number of an owner's keys. Every request writes the item that contains all of them, and
 * costs one write unit per kilobyte: about one for every four keys.
 */
const maxKeys = 100;

/**
 * Issues a key to an owner.
 *
 * @throws OperatorError when the request is invalid, there is no such owner, or DynamoDB fails
 */
export async function issueKey(request: KeyRequest, store: KeyStore): Promise<IssuedKey> {
  const { expiresAt } = request;
  const label =
    request.label === undefined ? undefined : checkedText('--label', request.label, maxLabelLength);
  const owner = await findCompleteOwner(request.owner, store);
  if (!owner.item.isActive) throw suspended(owner);
  const draft = draftKey(owner, { label, expiresAt }, store);
  const remedy = `run "keys revoke ${draft.issued.keyId}", then this command again`;
  await grantKey(draft, () => addEntry(owner, draft, store), remedy, store);
  return draft.issued;
}

/** @throws WrongStateError when the owner has the maximum number of keys, or was changed meanwhile */
async function addEntry(
  { details: { ownerHash, name }, item }: CompleteOwner,
  { tokenHash, entry }: DraftKey,
  store: KeyStore,
): Promise<void> {
  const entered = await change<DocumentOfOwner>(
    {
      table: store.apiKeysTable,
      key: { ownerHash },
      update: 'SET #keys.#key = :entry',
      condition:
        'attribute_exists(ownerHash) AND attribute_not_exists(#keys.#key) AND size(#keys) < :max',
      names: { '#keys': 'keys', '#key': tokenHash },
      values: { ':entry': entry, ':max': maxKeys },
    },
    store,
  );
  if (entered) return;
  if (item.keys.size < maxKeys) {
    throw new WrongStateError(`The owner ${quoted(name)} was changed meanwhile`, {
      remedy: 'run the command again',
    });
  }
  throw new WrongStateError(`The owner ${quoted(name)} has ${maxKeys} keys, which is the most`, {
    remedy: '"keys revoke" those that are not needed, or "keys purge" those that have expired',
  });
}

function suspended({ details: { name } }: CompleteOwner): WrongStateError {
  return new WrongStateError(`The owner ${quoted(name)} is suspended, so that no key of it works`, {
    remedy: '"owners resume" ends that',
  });
}
