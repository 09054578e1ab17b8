import { ChangedMeanwhileError } from '../../shared/errors.ts';
import { present } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { changeAndRecord } from '../stored/history.ts';
import { findKey } from '../stored/stored-key.ts';
import { inApiKeys, inOwners } from '../stored/stored-owner.ts';

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
  const { ownerId } = owner.details;
  const [ofEntry, ofDetails] = [`keys.${tokenHash}`, `keys.${keyId}`];
  const removal = { remove: [ofEntry], where: { [ofEntry]: present } };
  const set = {
    [`${ofDetails}.revokedAt`]: new Date(stage.now()).toISOString(),
    ...(entry.usedAt && { [`${ofDetails}.usedAt`]: entry.usedAt }),
  };
  const revocation = { set, where: { [ofDetails]: present } };
  const parts = [
    { Update: inApiKeys(owner.details, removal, stage) },
    ...(details ? [{ Update: inOwners(ownerId, revocation, stage) }] : []),
  ];
  const deed = { command: 'keys revoke', keyIds: [keyId] };
  if (await changeAndRecord(ownerId, deed, parts, stage)) return true;
  throw new ChangedMeanwhileError(keyId);
}
