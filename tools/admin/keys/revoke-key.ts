import { present } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { changeAndRecord } from '../stored/history.ts';
import { findKey } from '../stored/stored-key.ts';

/**
 * Revokes a key: it removes the key's entry from the ApiKeys table, after which the token is refused, and
 * keeps the time and the key's last use in its details. Revoking a key again is not an error.
 *
 * @returns whether the key was not revoked before
 * @throws OperatorError if there is no such key
 */
export async function revokeKey(keyId: string, stage: KeyStage): Promise<boolean> {
  const { tokenHash, owner, details, entry } = await findKey(keyId, stage);
  if (!entry) return false;
  const [pathOfEntry, pathOfDetails] = [`keys.${tokenHash}`, `keys.${keyId}`];
  const ofItem = { remove: [pathOfEntry], where: { [pathOfEntry]: present } };
  const set = {
    [`${pathOfDetails}.revokedAt`]: new Date(stage.now()).toISOString(),
    ...(entry.usedAt && { [`${pathOfDetails}.usedAt`]: entry.usedAt }),
  };
  const ofDetails = details && { set, where: { [pathOfDetails]: present } };
  const deed = { command: 'keys revoke', keyIds: [keyId] };
  await changeAndRecord(owner.details, deed, { ofItem, ofDetails }, stage);
  return true;
}
