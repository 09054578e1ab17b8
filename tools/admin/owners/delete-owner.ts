import { ChangedMeanwhileError } from '../../shared/errors.ts';
import { absent, changeTogether, present } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { runRepeatable } from '../stage/service-failure.ts';
import { findOwner, nameReservation, reservableFor } from '../stored/find-owner.ts';
import { changeAndRecord, onlyDeletion } from '../stored/history.ts';
import { inApiKeys, inOwners } from '../stored/stored-owner.ts';
import { deleteGatewayKey } from './gateway-key.ts';
import { alignGatewayKey } from './set-owner-plan.ts';

/**
 * Deletes an owner: first the item, after which its keys are refused, at last the details, the name and the history
 * except for the deletion. If it is interrupted, the owner is listed as incomplete, and the same command completes it.
 */
export async function deleteOwner(idOrName: string, stage: KeyStage): Promise<void> {
  const { details, item } = await findOwner(idOrName, stage);
  const { ownerId, name } = details;
  await runRepeatable(`${ownerId} may be only partly deleted`, async () => {
    const removal = { Delete: inApiKeys(details, { where: { ownerHash: present } }, stage) };
    const deed = { command: 'owners delete' };
    if (item) await changeAndRecord(details, deed, { others: [removal] }, stage);
    await deleteGatewayKey(ownerId, stage);
    const isDeleted = await changeTogether(
      [
        { Delete: inOwners(ownerId, { where: { name } }, stage) },
        { Delete: inOwners(nameReservation(name), { where: reservableFor(ownerId) }, stage) },
        // "owners create" may have completed the owner again meanwhile.
        { ConditionCheck: inApiKeys(details, { where: { ownerHash: absent } }, stage) },
        await onlyDeletion(ownerId, item !== undefined, stage),
      ],
      stage,
    );
    if (isDeleted) return;
    await alignGatewayKey(ownerId, stage);
    throw new ChangedMeanwhileError(ownerId);
  });
}
