import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { ChangedMeanwhileError } from '../../shared/errors.ts';
import { absent, changeTogether, expressions } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { runRepeatable, UnconfirmedError } from '../stage/service-failure.ts';
import { findOwner, nameReservation, reservableFor } from './find-owner.ts';
import { deleteGatewayKey } from './gateway-key.ts';
import { alignGatewayKey } from './set-owner-plan.ts';
import { inOwners } from './stored-owner.ts';

/**
 * Deletes everything that is stored about an owner: first the item in the ApiKeys table, after which all of
 * its keys are refused, then the API Gateway key, and in one transaction the details and the name. If it is
 * interrupted, the owner is listed as incomplete, and the same command completes it.
 *
 * @throws OperatorError if there is no such owner
 */
export async function deleteOwner(idOrName: string, stage: KeyStage): Promise<void> {
  const owner = await findOwner(idOrName, stage);
  const { ownerId, ownerHash, name } = owner.details;
  await runRepeatable(`${ownerId} may be only partly deleted`, async () => {
    const [TableName, key] = [stage.apiKeysTable, { ownerHash }];
    if (owner.item) {
      const removal = new DeleteCommand({ TableName, Key: key, ReturnConsumedCapacity: 'TOTAL' });
      const { ConsumedCapacity } = await stage.documents.send(removal);
      if (!ConsumedCapacity) throw new UnconfirmedError('DeleteItem');
    }
    await deleteGatewayKey(ownerId, stage);
    // "owners create" may have completed the owner again meanwhile.
    const noItem = { table: TableName, key, where: { ownerHash: absent } };
    const isDeleted = await changeTogether(
      [
        { Delete: inOwners(ownerId, { where: { name } }, stage) },
        { Delete: inOwners(nameReservation(name), { where: reservableFor(ownerId) }, stage) },
        { ConditionCheck: expressions(noItem) },
      ],
      stage,
    );
    if (isDeleted) return;
    await alignGatewayKey(ownerId, stage);
    throw new ChangedMeanwhileError(ownerId);
  });
}
