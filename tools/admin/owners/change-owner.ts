import { ownerCounters } from '../../../lambdas/keys/owner-record.ts';
import {
  ChangedMeanwhileError,
  NotFoundError,
  quoted,
  WrongStateError,
} from '../../shared/errors.ts';
import { absent, changeTogether, present } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { shellWord } from '../stage/target.ts';
import {
  findCompleteOwner,
  findOwner,
  lookUpOwner,
  nameReservation,
  ownerIdOfName,
  ownerName,
  reservableFor,
} from '../stored/find-owner.ts';
import { changeAndRecord, differences, onlyDeletion, readHistory } from '../stored/history.ts';
import { isOwnerId } from '../stored/identities.ts';
import {
  type CompleteOwner,
  inApiKeys,
  inOwners,
  type OwnerItem,
  type StoredOwner,
} from '../stored/stored-owner.ts';
import { deleteGatewayKeys } from './gateway-key.ts';

/** The authorizer's counters before the first request. */
export const noUsage = Object.fromEntries(ownerCounters.map((name) => [name, 0])) as Record<
  (typeof ownerCounters)[number],
  0
>;

/** Suspends or resumes an owner. The keys' bans do not change. @throws OperatorError if the owner is not complete */
export async function setOwnerStatus(
  idOrName: string,
  status: OwnerItem['status'],
  stage: KeyStage,
): Promise<CompleteOwner> {
  const { details, item } = await findCompleteOwner(idOrName, stage);
  const before = { status: item.status };
  if (item.status === status) return { details, item };
  const command = status === 'active' ? 'owners resume' : 'owners suspend';
  const deed = { command, changes: differences(before, { status }) };
  await changeAndRecord(details, deed, { ofItem: { set: { status }, where: before } }, stage);
  return { details, item: { ...item, status } };
}

/**
 * Sets an owner's counters to 0.
 *
 * @returns the owner, and how many times its usage was reset today (UTC)
 * @throws OperatorError if the owner is not complete
 */
export async function resetUsage(
  idOrName: string,
  stage: KeyStage,
): Promise<CompleteOwner & { resetsToday: number }> {
  const { details, item } = await findCompleteOwner(idOrName, stage);
  const today = new Date(stage.now()).toISOString().slice(0, 10);
  const earlier = (await readHistory(details.ownerId, stage)).filter(
    ({ command, at }) => command === 'owners reset-usage' && at.startsWith(today),
  );
  const ofItem = { set: noUsage, where: { ownerHash: present } };
  await changeAndRecord(details, { command: 'owners reset-usage' }, { ofItem }, stage);
  return { details, item: { ...item, ...noUsage }, resetsToday: earlier.length + 1 };
}

/** Renames an owner, so that it always has exactly one reserved name. @throws OperatorError if another owner has it */
export async function renameOwner(
  idOrName: string,
  newName: string,
  stage: KeyStage,
): Promise<StoredOwner> {
  const name = ownerName(newName);
  const owner = await findOwner(idOrName, stage);
  const { ownerId, name: oldName } = owner.details;
  if (name === oldName) return owner;
  const [reservation, oldReservation] = [nameReservation(name), nameReservation(oldName)];
  const where = reservableFor(ownerId);
  const ofDetails = { set: { name }, where: { name: oldName } };
  const others = [
    { Update: inOwners(reservation, { set: { owner: ownerId }, where }, stage) },
    // Names that differ only in case have the same reservation, which must not be deleted.
    ...(reservation === oldReservation
      ? []
      : [{ Delete: inOwners(oldReservation, { where }, stage) }]),
  ];
  await changeAndRecord(
    owner.details,
    { command: 'owners rename', changes: differences({ name: oldName }, { name }) },
    { ofDetails, others },
    stage,
    async () => {
      const holder = await ownerIdOfName(name, stage);
      if (holder === undefined || holder === ownerId) return new ChangedMeanwhileError(ownerId);
      return new WrongStateError(`Another owner has the name ${quoted(name)}`, {
        remedy: `"./admin owners show ${shellWord(name)}" shows the other owner`,
      });
    },
  );
  return { ...owner, details: { ...owner.details, name } };
}

/**
 * Deletes an owner. The first step deletes the item, so that the owner's keys are refused. The second step deletes the
 * details, the name, and the history except for the record of the deletion. If the command is interrupted before this
 * step, the owner is listed as incomplete, and the same command completes the deletion. The last step deletes the
 * owner's API Gateway keys, which nobody can need then. `owners repair` makes up for this step, and so does the same
 * command with the owner's id.
 *
 * @throws NotFoundError if nothing is left of the owner
 */
export async function deleteOwner(
  idOrName: string,
  stage: KeyStage,
): Promise<{ ownerId: string; name?: string; keys: number }> {
  const owner = await lookUpOwner(idOrName, stage);
  if (!owner) return deleteRest(idOrName, stage);
  const { details, item } = owner;
  const { ownerId, name } = details;
  const removal = { Delete: inApiKeys(details, { where: { ownerHash: present } }, stage) };
  const deed = { command: 'owners delete' };
  if (item) await changeAndRecord(details, deed, { others: [removal] }, stage);
  const isDeleted = await changeTogether(
    [
      { Delete: inOwners(ownerId, { where: { name } }, stage) },
      { Delete: inOwners(nameReservation(name), { where: reservableFor(ownerId) }, stage) },
      // After the item was deleted, "owners create" may have completed the owner again.
      { ConditionCheck: inApiKeys(details, { where: { ownerHash: absent } }, stage) },
      await onlyDeletion(ownerId, item !== undefined, stage),
    ],
    stage,
  );
  if (!isDeleted) throw new ChangedMeanwhileError(ownerId);
  await deleteGatewayKeys(ownerId, stage);
  return { ownerId, name, keys: Object.keys(item?.keys ?? {}).length };
}

/** Completes a deletion that was interrupted before its last step. */
async function deleteRest(ownerId: string, stage: KeyStage) {
  const isAnyLeft = isOwnerId(ownerId) && (await deleteGatewayKeys(ownerId, stage)) > 0;
  if (isAnyLeft) return { ownerId, keys: 0 };
  throw new NotFoundError(`There is no owner ${quoted(ownerId)}`, {
    remedy:
      'if its deletion was interrupted, "./admin owners repair" deletes the API Gateway keys that are left',
  });
}
