import { Argument } from 'commander';
import type { Limits } from '../../../lambdas/keys/plan.ts';
import { type PlanName, planNames } from '../../../lib/settings/plans.ts';
import { asOption, type Verb } from '../console/verb.ts';
import { unchanged } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { ensureGatewayKey } from '../store/gateway-keys.ts';
import { differences } from '../store/history.ts';
import { changeOwner } from '../store/owner-change.ts';
import { findCompleteOwner } from '../store/owners.ts';
import type { CompleteOwner } from '../store/stored-owner.ts';
import { changedOwner } from './owner-view.ts';
import { limitOptions, type OwnerPlan, type PlanRequest, requestedPlan } from './plan-request.ts';

export const setPlan: Verb<Partial<Limits>> = {
  usage: 'set-plan <owner>',
  arguments: [new Argument('<plan>').choices(planNames)],
  description: 'move an owner to another plan, or give it other limits',
  options: [...limitOptions, asOption],
  help: `If the owner is already on the plan enterprise, it keeps a limit that you do not
give. On AWS, the first move to a plan takes ten seconds, until API Gateway
knows the owner.`,
  examples: [
    'owners set-plan "Acme Ltd" pro --stage prod',
    'owners set-plan Initech enterprise --stage prod --per-minute 500 --per-day 20000',
  ],
  run: async ({ stage, options: { perMinute, perDay } }, owner, plan) =>
    changedOwner(stage, () =>
      setOwnerPlan(owner!, { plan: plan as PlanName, perMinute, perDay }, stage),
    ),
};

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
  const { details, item } = await findCompleteOwner(idOrName, stage);
  const { ownerId } = details;
  const { plan, perMinute, perDay } = item;
  const before: OwnerPlan = { plan, perMinute, perDay };
  const after = requestedPlan(request, stage.plans, before);
  const isNew = await ensureGatewayKey(ownerId, request.plan, stage);
  if (isNew) await stage.settle();
  const changes = differences({ ...before }, { ...after });
  if (Object.keys(changes).length > 0) {
    const change = {
      deed: { command: 'owners set-plan', changes },
      item: {
        set: { perMinute: undefined, perDay: undefined, ...after },
        where: { plan, perMinute: unchanged(perMinute), perDay: unchanged(perDay) },
      },
    };
    await changeOwner({ details }, change, stage);
  }
  return { details, item: { ...item, perMinute: undefined, perDay: undefined, ...after } };
}
