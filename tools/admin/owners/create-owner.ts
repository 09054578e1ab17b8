import { ChangedMeanwhileError, quoted, WrongStateError } from '../../shared/errors.ts';
import { createOwnerIdentity } from '../keys/api-key-token.ts';
import { absent, changeTogether, expressions, present } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { runRepeatable } from '../stage/service-failure.ts';
import { noUsage } from './change-owner.ts';
import { findOwner, nameReservation, ownerIdOfName, ownerName, readOwner } from './find-owner.ts';
import { putGatewayKey } from './gateway-key.ts';
import { limitsFor, type OwnerLimits } from './owner-limits.ts';
import { alignGatewayKey } from './set-owner-plan.ts';
import {
  type AgreedLimits,
  changeDetails,
  inOwners,
  type OwnerDetails,
  type OwnerItem,
  type StoredOwner,
} from './stored-owner.ts';

export interface NewOwner extends AgreedLimits {
  readonly name: string;
}

/**
 * Creates an owner in four steps, each of which can be repeated: it reserves the name, and writes the
 * details, the API Gateway key in the plan's usage plan, and the item in the ApiKeys table, without which
 * the owner can have no valid key. If it is interrupted, the same command completes it.
 *
 * One write contains the item and the agreed limits, so two simultaneous commands cannot mix theirs.
 *
 * @throws OperatorError if the name is taken
 */
export async function createOwner(request: NewOwner, stage: KeyStage): Promise<StoredOwner> {
  const { plan, perMinute, perDay } = request;
  const name = ownerName(request.name);
  const agreed = { plan, perMinute, perDay };
  const limits = limitsFor(agreed);
  return runRepeatable(`The owner ${quoted(name)} may be only partly created`, async () => {
    const ownerId = await reserveName(name, stage);
    const details = await putDetails(ownerId, name, agreed, stage);
    await putGatewayKey(ownerId, plan, stage);
    await putItem(details, agreed, limits, stage);
    // Another creation may have moved the gateway key meanwhile, or a deletion may have deleted it.
    return alignGatewayKey(ownerId, stage);
  });
}

/** @returns the id of the new owner, or of the one whose creation was interrupted */
async function reserveName(name: string, stage: KeyStage): Promise<string> {
  const { ownerId } = createOwnerIdentity(stage.tokenPrefix);
  const reservation = { set: { owner: ownerId }, where: { ownerId: absent } };
  if (await changeDetails(nameReservation(name), reservation, stage)) return ownerId;
  const reservedFor = (await ownerIdOfName(name, stage)) ?? ownerId;
  const owner = await readOwner(reservedFor, stage);
  if (owner?.item) throw nameTaken(owner);
  return reservedFor;
}

/** Writes the details, or returns those of an interrupted creation. */
async function putDetails(
  ownerId: string,
  name: string,
  agreed: AgreedLimits,
  stage: KeyStage,
): Promise<OwnerDetails> {
  const { seed, ownerHash } = createOwnerIdentity(stage.tokenPrefix);
  const createdAt = new Date(stage.now()).toISOString();
  const setAbsent = { name, createdAt, seed, ownerHash, agreed, keys: {} };
  const changes = [
    { Update: inOwners(ownerId, { setAbsent }, stage) },
    keepReservation(name, ownerId, stage),
  ];
  // If a deletion has freed the name meanwhile, nobody could find the details by it.
  if (!(await changeTogether(changes, stage))) throw new ChangedMeanwhileError(ownerId);
  return (await findOwner(ownerId, stage)).details;
}

async function putItem(
  { ownerId, ownerHash, name }: OwnerDetails,
  agreed: AgreedLimits,
  limits: OwnerLimits,
  stage: KeyStage,
): Promise<void> {
  const { plan } = agreed;
  const item: OwnerItem = {
    ownerId,
    plan,
    status: 'active',
    ...limits,
    ...noUsage,
    keys: {},
  };
  const key = { table: stage.apiKeysTable, key: { ownerHash } };
  const agree = { set: { agreed }, where: { ownerId: present } };
  const changes = [
    { Update: expressions({ ...key, set: { ...item }, where: { ownerHash: absent } }) },
    { Update: inOwners(ownerId, agree, stage) },
    keepReservation(name, ownerId, stage),
  ];
  if (await changeTogether(changes, stage)) return;
  // Another command has created the owner meanwhile, so its plan decides on the usage plan.
  throw nameTaken(await alignGatewayKey(ownerId, stage));
}

/** A part of a transaction that fails if the name is no longer reserved for the owner. */
function keepReservation(name: string, owner: string, stage: KeyStage) {
  return { Update: inOwners(nameReservation(name), { set: { owner }, where: { owner } }, stage) };
}

function nameTaken({ details, item }: StoredOwner): WrongStateError {
  return new WrongStateError(
    `There is already an owner ${quoted(details.name)}, ${details.ownerId}, on the ${item!.plan} plan`,
    { remedy: 'choose another name, or change its plan with "./admin owners set-plan"' },
  );
}
