import { isPlanName, type PlanName, plans } from '../../../lib/settings/plans.ts';
import { WrongStateError } from '../../shared/errors.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { runRepeatable } from '../stage/service-failure.ts';
import { findCompleteOwner, readOwner } from './find-owner.ts';
import { deleteGatewayKey, putGatewayKey } from './gateway-key.ts';
import {
  hasLimits,
  limitsFor,
  type OwnerLimits,
  setPlanCommand,
  withPresentLimits,
} from './owner-limits.ts';
import { limitsText } from './owner-view.ts';
import {
  type AgreedLimits,
  type CompleteOwner,
  changeDetails,
  changeItem,
} from './stored-owner.ts';

/**
 * Moves an owner to another plan: it changes the limits in DynamoDB and the usage plan in API Gateway, and
 * then records the agreed limits. The counters do not change.
 *
 * The usage plan must never be tighter than the exact limits. So a move to a larger plan changes API Gateway
 * first, and a move to a smaller plan DynamoDB. If it is interrupted, the limits of the smaller plan apply,
 * and running it again completes it.
 *
 * @returns the owner, and whether its API Gateway key was not in the right usage plan
 * @throws OperatorError if the plan does not allow the limits, or another move has changed them meanwhile
 */
export async function setOwnerPlan(
  idOrName: string,
  request: AgreedLimits,
  stage: KeyStage,
): Promise<CompleteOwner & { wasRepaired: boolean }> {
  const owner = await findCompleteOwner(idOrName, stage);
  const { ownerId } = owner.details;
  const agreed = withPresentLimits(request, owner.item);
  const limits = limitsFor(agreed);
  let wasRepaired = false;
  const inGateway = async () => {
    wasRepaired = await putGatewayKey(ownerId, agreed.plan, stage);
  };
  const inDynamoDb = () => setLimits(owner, agreed.plan, limits, stage);
  const { plan, perMinute } = owner.item;
  const isLarger =
    plans[agreed.plan].perMinute >= (isPlanName(plan) ? plans[plan].perMinute : perMinute);
  const undo = setPlanCommand(ownerId, owner.details.agreed);
  const state = `The plan of ${ownerId} may be only partly changed, so its requests may get 503 ("./admin ${undo}" undoes it)`;
  return runRepeatable(state, async () => {
    for (const step of isLarger ? [inGateway, inDynamoDb] : [inDynamoDb, inGateway]) await step();
    for (;;) {
      const { details, item } = await rereadOwner(ownerId, stage);
      // If another move has changed the limits meanwhile, its agreed limits apply.
      if (!hasLimits(item, agreed.plan, limits)) break;
      const record = { set: { agreed }, where: { agreed: details.agreed } };
      if (await changeDetails(ownerId, record, stage)) break;
    }
    const changed = await alignGatewayKey(ownerId, stage);
    if (!hasLimits(changed.item, agreed.plan, limits)) throw changedByOther(changed);
    return { ...changed, wasRepaired };
  });
}

/**
 * Puts an owner's gateway key into the usage plan of its plan, again if the plan changes meanwhile.
 *
 * @throws WrongStateError if the owner is not complete
 */
export async function alignGatewayKey(ownerId: string, stage: KeyStage): Promise<CompleteOwner> {
  let owner = await rereadOwner(ownerId, stage);
  for (;;) {
    const { plan } = owner.item;
    await putGatewayKey(ownerId, plan, stage);
    owner = await rereadOwner(ownerId, stage);
    if (owner.item.plan === plan) return owner;
  }
}

/**
 * Reads an owner again after its gateway key was created. If the owner was deleted meanwhile, this deletes
 * the key.
 *
 * @throws OperatorError if the owner is no longer complete
 */
async function rereadOwner(ownerId: string, stage: KeyStage): Promise<CompleteOwner> {
  const owner = await readOwner(ownerId, stage);
  if (!owner?.item) await deleteGatewayKey(ownerId, stage);
  return findCompleteOwner(ownerId, stage);
}

/**
 * Sets the plan and the limits of an owner, unless they have changed since they were read.
 *
 * @throws WrongStateError if they have changed
 */
export async function setLimits(
  { details, item }: CompleteOwner,
  plan: PlanName,
  limits: OwnerLimits,
  stage: KeyStage,
): Promise<void> {
  const { ownerId } = details;
  const where = { plan: item.plan, perMinute: item.perMinute, perDay: item.perDay };
  if (await changeItem(details, { set: { plan, ...limits }, where }, stage)) return;
  // The usage plan may already have changed, so the gateway key goes back to that of the current plan.
  throw changedByOther(await alignGatewayKey(ownerId, stage));
}

function changedByOther({ details: { ownerId }, item }: CompleteOwner): WrongStateError {
  return new WrongStateError(
    `The plan of ${ownerId} was changed by somebody else meanwhile: it is ${item.plan}, ${limitsText(item)}`,
    { remedy: 'run the command again if you want another plan' },
  );
}
