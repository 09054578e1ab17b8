import { isPlanName, plans } from '../../../lib/settings/plans.ts';
import { WrongStateError } from '../../shared/errors.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { runRepeatable } from '../stage/service-failure.ts';
import { findCompleteOwner, readOwner } from '../stored/find-owner.ts';
import { changeAndRecord, differences } from '../stored/history.ts';
import type { AgreedLimits, CompleteOwner } from '../stored/stored-owner.ts';
import { deleteGatewayKey, putGatewayKey } from './gateway-key.ts';
import {
  hasLimits,
  limitsFor,
  type OwnerLimits,
  setPlanCommand,
  withPresentLimits,
} from './owner-limits.ts';
import { limitsText } from './owner-view.ts';

/**
 * Moves an owner to another plan. The usage plan must never be tighter than the exact limits. So a move to a larger
 * plan changes API Gateway first, and a move to a smaller plan DynamoDB. Running it again completes it.
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
  const { plan, perMinute } = owner.item;
  const isLarger =
    plans[agreed.plan].perMinute >= (isPlanName(plan) ? plans[plan].perMinute : perMinute);
  const undo = setPlanCommand(ownerId, owner.details.agreed);
  const state = `The plan of ${ownerId} may be only partly changed, so its requests may get 503 ("./admin ${undo}" undoes it)`;
  return runRepeatable(state, async () => {
    const wasMovedFirst = isLarger && (await putGatewayKey(ownerId, agreed.plan, stage));
    await setLimits(owner, agreed, limits, 'owners set-plan', stage);
    const changed = await alignGatewayKey(ownerId, stage);
    if (!hasLimits(changed.item, agreed.plan, limits)) throw changedByOther(changed);
    return { ...changed, wasRepaired: wasMovedFirst || changed.wasMoved };
  });
}

/** Puts an owner's gateway key into the usage plan of its plan, again if the plan changes meanwhile. */
export async function alignGatewayKey(
  ownerId: string,
  stage: KeyStage,
): Promise<CompleteOwner & { wasMoved: boolean }> {
  let owner = await rereadOwner(ownerId, stage);
  for (let wasMoved = false; ; ) {
    const { plan } = owner.item;
    wasMoved = (await putGatewayKey(ownerId, plan, stage)) || wasMoved;
    owner = await rereadOwner(ownerId, stage);
    if (owner.item.plan === plan) return { ...owner, wasMoved };
  }
}

// If the owner was deleted after its gateway key was created, the key has to go, too.
async function rereadOwner(ownerId: string, stage: KeyStage): Promise<CompleteOwner> {
  const owner = await readOwner(ownerId, stage);
  if (!owner?.item) await deleteGatewayKey(ownerId, stage);
  return findCompleteOwner(ownerId, stage);
}

/** Sets an owner's limits and agreed limits. @throws WrongStateError if they changed since they were read */
export async function setLimits(
  { details, item }: CompleteOwner,
  agreed: AgreedLimits,
  limits: OwnerLimits,
  command: string,
  stage: KeyStage,
): Promise<void> {
  const { plan, perMinute, perDay } = item;
  const changes = differences(
    { plan, perMinute, perDay, ...agreedValues(details.agreed) },
    { plan: agreed.plan, ...limits, ...agreedValues(agreed) },
  );
  if (Object.keys(changes).length === 0) return;
  await changeAndRecord(
    details,
    { command, changes },
    {
      ofItem: { set: { plan: agreed.plan, ...limits }, where: { plan, perMinute, perDay } },
      ofDetails: { set: { agreed }, where: { agreed: details.agreed } },
    },
    stage,
    // The usage plan may already have changed, so the gateway key goes back to that of the current plan.
    async () => changedByOther(await alignGatewayKey(details.ownerId, stage)),
  );
}

function agreedValues({ plan, perMinute, perDay }: AgreedLimits) {
  return { agreedPlan: plan, agreedPerMinute: perMinute, agreedPerDay: perDay };
}

function changedByOther({ details: { ownerId }, item }: CompleteOwner): WrongStateError {
  return new WrongStateError(
    `The plan of ${ownerId} was changed by somebody else meanwhile: it is ${item.plan}, ${limitsText(item)}`,
    { remedy: 'run the command again if you want another plan' },
  );
}
