import { changeDetails, changeItem } from '../owners/stored-owner.ts';
import { present } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { runRepeatable } from '../stage/service-failure.ts';
import { findKey, type StoredKey } from './find-key.ts';

/**
 * Revokes a key: it removes the key's entry from the ApiKeys table, after which the token is refused, and
 * then records the revocation in the key's details. Revoking a key again is not an error. It completes an
 * interrupted revocation.
 *
 * @returns whether the key had an entry, and so was not revoked before
 * @throws OperatorError if there is no such key
 */
export async function revokeKey(keyId: string, stage: KeyStage): Promise<boolean> {
  const key = await findKey(keyId, stage);
  if (key.entry) await removeEntry(key, stage);
  const state = `${keyId} is refused from now on, but its revocation may not be recorded`;
  await runRepeatable(state, () => recordRevocation(key, stage));
  return key.entry !== undefined;
}

/** Removes a key's entry, if there is one, after which its token is refused. */
export async function removeEntry({ tokenHash, owner }: StoredKey, stage: KeyStage): Promise<void> {
  const path = `keys.${tokenHash}`;
  await changeItem(owner.details, { remove: [path], where: { [path]: present } }, stage);
}

/**
 * Records in a key's details that it is revoked, with the last use from its entry, unless
 * this is already recorded.
 */
async function recordRevocation(
  { keyId, owner, details, entry }: StoredKey,
  stage: KeyStage,
): Promise<void> {
  if (!details || (details.revokedAt && !entry)) return;
  const path = `keys.${keyId}`;
  const set = {
    [`${path}.revokedAt`]: new Date(stage.now()).toISOString(),
    ...(entry?.usedAt && { [`${path}.usedAt`]: entry.usedAt }),
  };
  await changeDetails(owner.details.ownerId, { set, where: { [path]: present } }, stage);
}
