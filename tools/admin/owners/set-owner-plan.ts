import { ChangedMeanwhileError } from '../../shared/errors.ts';
import { unchanged } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { findCompleteOwner } from '../stored/find-owner.ts';
import { changeAndRecord, differences } from '../stored/history.ts';
import type { CompleteOwner } from '../stored/stored-owner.ts';
import { ensureGatewayKey } from './gateway-key.ts';
import { type OwnerPlan, type PlanRequest, requestedPlan } from './owner-limits.ts';

/**
 * Moves an owner to another plan. The owner's API Gateway key for this plan works before the plan changes, and the key
 * for the present plan remains. So an interrupted move refuses no request, and a second run completes it.
 *
 * @throws OperatorError if the plan does not allow the limits, or if another command changes them at the same time
 */
export async function setOwnerPlan(
  idOrName: string,
  request: PlanRequest,
  stage: KeyStage,
): Promise<CompleteOwner> {
  const owner = await findCompleteOwner(idOrName, stage);
  const before = planOf(owner);
  const after = requestedPlan(request, stage.plans, before);
  const isNew = await ensureGatewayKey(owner.details.ownerId, request.plan, stage);
  if (isNew) await stage.settle();
  await changePlan(owner, after, stage);
  return { ...owner, item: { ...owner.item, perMinute: undefined, perDay: undefined, ...after } };
}

/** The plan of an owner, and the owner's own limits if it has any. */
function planOf({ item: { plan, perMinute, perDay } }: CompleteOwner): OwnerPlan {
  return { plan, perMinute, perDay };
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
  const refusal = () => new ChangedMeanwhileError(`The plan of ${ownerId}`);
  await changeAndRecord(owner.details, deed, { ofItem }, stage, refusal);
}

function isDifferent(before: OwnerPlan, after: OwnerPlan): boolean {
  return Object.keys(differences({ ...before }, { ...after })).length > 0;
}
