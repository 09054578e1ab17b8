import { Argument } from 'commander';
import type { Limits } from '../../../lambdas/keys/plan.ts';
import { type PlanName, planNames } from '../../../lib/settings/plans.ts';
import { asOption, type Verb } from '../console/verb.ts';
import { ensureGatewayKey } from '../store/gateway-keys.ts';
import { findOwner } from '../store/owners.ts';
import { changedOwner } from './owner-view.ts';
import { limitOptions, requestedPlan } from './plan-request.ts';

export const setPlan: Verb<Partial<Limits>> = {
  usage: 'set-plan <owner>',
  arguments: [new Argument('<plan>').choices(planNames)],
  description: 'move an owner to another plan, or give it other limits',
  options: [...limitOptions, asOption],
  help: `If the owner is already on the plan enterprise, it keeps a limit that you do not
give. On AWS, a move to another plan takes ten seconds, until API Gateway knows
the owner.`,
  examples: [
    'owners set-plan "Acme Ltd" pro --stage prod',
    'owners set-plan Initech enterprise --stage prod --per-minute 500 --per-day 20000',
  ],
  run: async ({ stage, options: { perMinute, perDay } }, idOrName, planName) => {
    const plan = planName as PlanName;
    const owner = await findOwner(idOrName!, stage);
    const requested = requestedPlan({ plan, perMinute, perDay }, stage.plans, owner.item);
    await ensureGatewayKey(owner.details.ownerId, plan, stage);
    // Also if the key was there, because an interrupted run may have added it just now.
    if (plan !== owner.item.plan) await stage.settle();
    const item = { perMinute: undefined, perDay: undefined, ...requested };
    return changedOwner(owner, { item }, 'owners set-plan', stage);
  },
};
