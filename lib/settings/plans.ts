import type { Plan } from '../../lambdas/keys/plan.ts';

/*
 * The only place that has the plans' numbers. All other places derive from it, or are checked against it. A deployment
 * gives the authorizer new numbers for all owners (docs/operating.md).
 */

export type PlanName = 'free' | 'pro' | 'business' | 'enterprise';

const banSeconds = 300;

/** A plan with the same limits for all its owners. It tolerates three times as many rejections as requests. */
function plan(limits: Pick<Plan, 'perMinute' | 'perDay'>): Plan {
  const toleratedRejectionsPerMinute = 3 * limits.perMinute;
  return { ...limits, limitsPerOwner: false, toleratedRejectionsPerMinute, banSeconds };
}

/**
 * From the smallest to the largest, because an owner whose plan the authorizer does not know gets the first plan's
 * limits.
 */
export const plans: Readonly<Record<PlanName, Plan>> = {
  free: plan({ perMinute: 60, perDay: 1_000 }),
  pro: plan({ perMinute: 300, perDay: 10_000 }),
  business: plan({ perMinute: 1_000, perDay: 100_000 }),
  // The maximum for an owner, because one DynamoDB partition, and so one owner's item, takes 60,000 writes of 1 KB a
  // minute.
  enterprise: {
    perMinute: 60_000,
    perDay: 10_000_000,
    limitsPerOwner: true,
    toleratedRejectionsPerMinute: 5_000,
    banSeconds,
  },
};

/**
 * API Gateway's quota of a day, as a multiple of the plan's limit per day. It is larger than the limit, because AWS
 * counts only approximately, and because API Gateway does not notice when an operator resets an owner's counters.
 */
export const quotaInDays = 3;

export const planNames = Object.keys(plans) as PlanName[];

/** Whether there is a plan of this name. The plan of an owner may have been removed. */
export function isPlanName(name: string): name is PlanName {
  return Object.hasOwn(plans, name);
}

/** A record with a value for each plan. */
export function recordByPlan<T>(value: (name: PlanName) => T): Record<PlanName, T> {
  return Object.fromEntries(planNames.map((name) => [name, value(name)])) as Record<PlanName, T>;
}
