import { ownerCounters } from '../../../lambdas/domain/owner-record.ts';
import {
  ChangedMeanwhileError,
  NotFoundError,
  quoted,
  WrongStateError,
} from '../../shared/errors.ts';
import { changeTogether, present } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import {
  findCompleteOwner,
  findOwner,
  lookUpOwner,
  nameReservation,
  ownerIdOfName,
  ownerName,
  reservableFor,
} from './find-owner.ts';
import {
  type CompleteOwner,
  changeItem,
  inOwners,
  type OwnerItem,
  type StoredOwner,
} from './stored-owner.ts';

type Counters = Record<(typeof ownerCounters)[number], number>;

/** The authorizer's counters before the first request. */
export const noUsage = Object.fromEntries(ownerCounters.map((name) => [name, 0])) as Counters;

/**
 * Changes an owner's status, which applies to all of its keys from the next request on, or its counters.
 * Bans do not change, because they belong to keys.
 *
 * @returns the changed owner
 * @throws OperatorError if there is no such owner, or it is not complete
 */
export async function changeOwner(
  idOrName: string,
  set: Pick<OwnerItem, 'status'> | Counters,
  stage: KeyStage,
): Promise<CompleteOwner> {
  const { details } = await findCompleteOwner(idOrName, stage);
  await changeItem(details, { set: { ...set }, where: { ownerHash: present } }, stage);
  return findCompleteOwner(details.ownerId, stage);
}

/**
 * Renames an owner. One transaction reserves the new name, writes it to the details and releases the old
 * name, so an owner always has exactly one reserved name.
 *
 * @throws OperatorError if another owner has the name
 */
export async function renameOwner(
  idOrName: string,
  newName: string,
  stage: KeyStage,
): Promise<StoredOwner> {
  const name = ownerName(newName);
  const { ownerId, name: oldName } = (await ownerToRename(idOrName, name, stage)).details;
  const [reservation, oldReservation] = [nameReservation(name), nameReservation(oldName)];
  const where = reservableFor(ownerId);
  const isRenamed = await changeTogether(
    [
      { Update: inOwners(ownerId, { set: { name }, where: { name: oldName } }, stage) },
      { Update: inOwners(reservation, { set: { owner: ownerId }, where }, stage) },
      // Names that differ only in case have the same reservation.
      ...(reservation === oldReservation
        ? []
        : [{ Delete: inOwners(oldReservation, { where }, stage) }]),
    ],
    stage,
  );
  if (isRenamed) return findOwner(ownerId, stage);
  const holder = await ownerIdOfName(name, stage);
  if (holder !== undefined && holder !== ownerId) {
    throw new WrongStateError(`Another owner has the name ${quoted(name)}`, {
      remedy: '"./admin owners show" with this name shows which',
    });
  }
  throw new ChangedMeanwhileError(ownerId);
}

/** @throws NotFoundError if there is no such owner; it says if there is one with the new name */
async function ownerToRename(
  idOrName: string,
  newName: string,
  stage: KeyStage,
): Promise<StoredOwner> {
  const owner = await lookUpOwner(idOrName, stage);
  const renamed = owner ? undefined : await lookUpOwner(newName, stage);
  if (!renamed) return owner ?? findOwner(idOrName, stage);
  const { ownerId, name } = renamed.details;
  throw new NotFoundError(`There is no owner ${quoted(idOrName)}`, {
    remedy: `${ownerId} has the name ${quoted(name)}, perhaps because it was already renamed`,
  });
}
