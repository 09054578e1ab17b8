import { isPlanName, type PlanName, plans } from '../../../lib/settings/plans.ts';
import { WrongStateError } from '../../shared/errors.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { withHalfDoneError } from '../stage/service-failure.ts';
import { findCompleteOwner, readOwner } from './find-owner.ts';
import { deleteGatewayKey, putGatewayKey } from './gateway-key.ts';
import { hasLimits, limitsFor, type OwnerLimits, setPlanCommand } from './owner-limits.ts';
import {
  type AgreedLimits,
  type CompleteOwner,
  changeDetails,
  changeItem,
} from './stored-owner.ts';

/**
 * Moves an owner to another plan: it changes the limits in DynamoDB and the usage plan in API Gateway,
 * and then notes which limits were agreed. The requests that are counted in the current minute and
 * day stay counted.
 *
 * The usage plan is a backstop for the exact limits and must never be tighter than they are. For a
 * larger plan, API Gateway is therefore changed first, and for a smaller one DynamoDB. If the move is
 * interrupted, the limits of the smaller plan apply; running it again completes it.
 *
 * @throws OperatorError when the plan does not allow the limits, or DynamoDB or API Gateway fails
 */
export async function setOwnerPlan(
  idOrName: string,
  agreed: AgreedLimits,
  store: KeyStore,
): Promise<CompleteOwner> {
  const owner = await findCompleteOwner(idOrName, store);
  const { ownerId } = owner.details;
  const limits = limitsFor(agreed);
  const inGateway = () => putGatewayKey(ownerId, agreed.plan, store);
  const inDynamoDb = () => setLimits(owner, agreed.plan, limits, store);
  const { plan, perMinute } = owner.item;
  const isLarger =
    plans[agreed.plan].perMinute >= (isPlanName(plan) ? plans[plan].perMinute : perMinute);
  const undo = setPlanCommand(ownerId, owner.details.agreed);
  const state = `The plan of ${ownerId} may be changed in part only ("${undo}" undoes it)`;
  return withHalfDoneError(state, async () => {
    for (const step of isLarger ? [inGateway, inDynamoDb] : [inDynamoDb, inGateway]) await step();
    const { details, item } = await readPresentOwner(ownerId, store);
    // Another move may have come since. Then its limits apply, and what was agreed in it.
    if (hasLimits(item, agreed.plan, limits)) {
      await changeDetails(ownerId, { set: { agreed }, where: { agreed: details.agreed } }, store);
    }
    return putPresentGatewayKey(ownerId, store);
  });
}

/**
 * Puts an owner's gateway key into the usage plan of its limits, until these stay the same meanwhile.
 *
 * @throws WrongStateError when the owner is not complete, or no longer
 */
export async function putPresentGatewayKey(
  ownerId: string,
  store: KeyStore,
): Promise<CompleteOwner> {
  let owner = await findCompleteOwner(ownerId, store);
  for (;;) {
    const { plan } = owner.item;
    await putGatewayKey(ownerId, plan, store);
    owner = await readPresentOwner(ownerId, store);
    if (owner.item.plan === plan) return owner;
  }
}

/**
 * Reads an owner again after its gateway key was put. If the owner was deleted meanwhile, so is the key.
 *
 * @throws OperatorError when the owner is not complete any more
 */
export async function readPresentOwner(ownerId: string, store: KeyStore): Promise<CompleteOwner> {
  const owner = await readOwner(ownerId, store);
  if (!owner?.item) await deleteGatewayKey(ownerId, store);
  return findCompleteOwner(ownerId, store);
}

/**
 * Sets the plan and the limits of an owner, if it still has those that were read.
 *
 * @throws WrongStateError when they were changed meanwhile
 */
export async function setLimits(
  { details, item }: CompleteOwner,
  plan: PlanName,
  limits: OwnerLimits,
  store: KeyStore,
): Promise<void> {
  const { ownerId } = details;
  const where = { plan: item.plan, perMinute: item.perMinute, perDay: item.perDay };
  if (await changeItem(details, { set: { plan, ...limits }, where }, store)) return;
  const found = await readPresentOwner(ownerId, store);
  // The write may have succeeded while its response was lost; the SDK then repeats it in vain.
  if (hasLimits(found.item, plan, limits)) return;
  // The usage plan may have been changed already, so it is set to that of the plan that applies.
  const { item: applied } = await putPresentGatewayKey(ownerId, store);
  throw new WrongStateError(
    `The plan of ${ownerId} was changed by somebody else meanwhile, to ${applied.plan}`,
    { remedy: 'run the command again where that is not what you want' },
  );
}
