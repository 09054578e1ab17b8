import { planNumbers } from '../../../lambdas/keys/plan.ts';
import { ChangedMeanwhileError } from '../../shared/errors.ts';
import { unchanged } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { findCompleteOwner, readOwner } from '../stored/find-owner.ts';
import { changeAndRecord, differences } from '../stored/history.ts';
import type { CompleteOwner } from '../stored/stored-owner.ts';
import { deleteGatewayKey, putGatewayKey } from './gateway-key.ts';
import { type OwnerPlan, type PlanRequest, requestedPlan } from './owner-limits.ts';

/**
 * Moves an owner to another plan. The usage plan must never be tighter than the exact limits. So a move to a larger
 * plan changes API Gateway first, and a move to a smaller plan changes DynamoDB first. A second run completes the move.
 *
 * @throws OperatorError if the plan does not allow the limits, or if another command changes them at the same time
 */
export async function setOwnerPlan(
  idOrName: string,
  request: PlanRequest,
  stage: KeyStage,
): Promise<CompleteOwner> {
  const { plans } = stage;
  const owner = await findCompleteOwner(idOrName, stage);
  const { ownerId } = owner.details;
  const before = planOf(owner);
  const after = requestedPlan(request, plans, before);
  const [most, mostBefore] = [after, before].map(({ plan }) => planNumbers(plan, plans).perMinute);
  const isLarger = most! >= mostBefore!;
  if (isLarger) await putGatewayKey(ownerId, after.plan, stage);
  await changePlan(owner, after, stage);
  const changed = await alignGatewayKey(ownerId, stage);
  if (isDifferent(planOf(changed), after))
    throw new ChangedMeanwhileError(`The plan of ${ownerId}`);
  return changed;
}

/** The plan of an owner, and the owner's own limits if it has any. */
function planOf({ item: { plan, perMinute, perDay } }: CompleteOwner): OwnerPlan {
  return { plan, perMinute, perDay };
}

/** Puts an owner's gateway key into the usage plan of the owner's plan. Repeats this if the plan has changed. */
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

/** @throws WrongStateError if the plan or the limits changed since they were read */
async function changePlan(owner: CompleteOwner, after: OwnerPlan, stage: KeyStage): Promise<void> {
  const { ownerId } = owner.details;
  const before = planOf(owner);
  if (!isDifferent(before, after)) return;
  const { plan, perMinute, perDay } = before;
  const ownLimits = ['perMinute', 'perDay'] as const;
  const set = Object.fromEntries(Object.entries(after).filter(([, value]) => value !== undefined));
  const ofItem = {
    set,
    remove: ownLimits.filter((limit) => after[limit] === undefined),
    where: { plan, perMinute: unchanged(perMinute), perDay: unchanged(perDay) },
  };
  const deed = { command: 'owners set-plan', changes: differences({ ...before }, { ...after }) };
  // The gateway key may already be in the new usage plan, so it goes back to the usage plan of the current plan.
  const refusal = async () => {
    await alignGatewayKey(ownerId, stage);
    return new ChangedMeanwhileError(`The plan of ${ownerId}`);
  };
  await changeAndRecord(owner.details, deed, { ofItem }, stage, refusal);
}

function isDifferent(before: OwnerPlan, after: OwnerPlan): boolean {
  return Object.keys(differences({ ...before }, { ...after })).length > 0;
}
