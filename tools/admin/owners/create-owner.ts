import { ChangedMeanwhileError, quoted, WrongStateError } from '../../shared/errors.ts';
import { absent, changeTogether, present } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { lookUpOwner, nameReservation, ownerName, readOwner } from '../stored/find-owner.ts';
import { changeAndRecord, differences } from '../stored/history.ts';
import { createOwnerIdentity } from '../stored/identities.ts';
import {
  inOwners,
  type OwnerDetails,
  type OwnerItem,
  type StoredOwner,
} from '../stored/stored-owner.ts';
import { noUsage } from './change-owner.ts';
import { ensureGatewayKey } from './gateway-key.ts';
import { type OwnerPlan, type PlanRequest, requestedPlan } from './owner-limits.ts';

/** An owner to create. */
export type NewOwner = PlanRequest & { readonly name: string };

/**
 * Creates an owner in steps that can be repeated. The last step writes the item, without which no key is valid.
 *
 * @throws OperatorError if the name is taken, or the plan does not allow the limits
 */
export async function createOwner(request: NewOwner, stage: KeyStage): Promise<StoredOwner> {
  const name = ownerName(request.name);
  const plan = requestedPlan(request, stage.plans);
  const details = await provideDetails(name, stage);
  await ensureGatewayKey(details.ownerId, request.plan, stage);
  return { details, item: await putItem(details, plan, stage) };
}

/** Reserves the name and writes the details, or returns the details that an interrupted creation has written. */
async function provideDetails(name: string, stage: KeyStage): Promise<OwnerDetails> {
  const { ownerId, ...identity } = createOwnerIdentity(stage.tokenPrefix);
  const createdAt = new Date(stage.now()).toISOString();
  const details = { name, createdAt, ...identity, keys: {} };
  const where = { ownerId: absent };
  const reservation = { set: { owner: ownerId }, where };
  const parts = [
    { Update: inOwners(ownerId, { set: details, where }, stage) },
    { Update: inOwners(nameReservation(name), reservation, stage) },
  ];
  if (await changeTogether(parts, stage)) return { ownerId, ...details };
  const owner = await lookUpOwner(name, stage);
  if (!owner) throw new ChangedMeanwhileError(`The owner ${quoted(name)}`);
  if (owner.item) throw nameTaken(owner);
  return owner.details;
}

async function putItem(
  details: OwnerDetails,
  plan: OwnerPlan,
  stage: KeyStage,
): Promise<OwnerItem> {
  const { ownerId, name } = details;
  const item: OwnerItem = { ownerId, ...plan, status: 'active', ...noUsage, keys: {} };
  const changes = differences({}, { name, ...plan });
  await changeAndRecord(
    details,
    { command: 'owners create', changes },
    {
      ofItem: { set: { ...item }, where: { ownerHash: absent } },
      // A deletion may have removed the details and the name since they were written. Without them, nobody could find
      // the owner, so this update requires the details. It sets a value that is stored already, because an operator's
      // permissions do not include a mere check of a condition in this table.
      ofDetails: { set: { createdAt: details.createdAt }, where: { ownerId: present } },
    },
    stage,
    async () => {
      const owner = await readOwner(ownerId, stage);
      return owner?.item ? nameTaken(owner) : new ChangedMeanwhileError(ownerId);
    },
  );
  return item;
}

function nameTaken({ details, item }: StoredOwner): WrongStateError {
  return new WrongStateError(
    `There is already an owner ${quoted(details.name)}, ${details.ownerId}, on the ${item!.plan} plan`,
    { remedy: `choose another name; "./admin owners show ${details.ownerId}" shows this owner` },
  );
}
