/*
 * The only place that holds the plans' numbers. Everything else derives from it or is checked against it. Owners
 * that exist keep the numbers they were created with until `owners apply-plans` is run on the stage
 * (docs/operating.md). The deployment workflow prints a reminder.
 */

export interface Plan {
  /** Requests admitted per UTC minute; with `limitsPerOwner`, the maximum for an owner. */
  readonly perMinute: number;
  /** Requests admitted per UTC day; with `limitsPerOwner`, the maximum for an owner. */
  readonly perDay: number;
  readonly limitsPerOwner: boolean;
  /** The number of rejected requests within a UTC minute beyond which the key is banned. */
  readonly toleratedRejectionsPerMinute: number;
  readonly banSeconds: number;
}

export type PlanName = 'free' | 'pro' | 'business' | 'enterprise';

/** From the smallest to the largest, because commands suggest the first plan that allows a limit. */
export const plans: Readonly<Record<PlanName, Plan>> = {
  free: {
    perMinute: 60,
    perDay: 1_000,
    limitsPerOwner: false,
    toleratedRejectionsPerMinute: 180,
    banSeconds: 300,
  },
  pro: {
    perMinute: 300,
    perDay: 10_000,
    limitsPerOwner: false,
    toleratedRejectionsPerMinute: 900,
    banSeconds: 300,
  },
  business: {
    perMinute: 1_000,
    perDay: 100_000,
    limitsPerOwner: false,
    toleratedRejectionsPerMinute: 3_000,
    banSeconds: 300,
  },
  // One DynamoDB partition, and therefore one owner's item, takes 60,000 writes of 1 KB a minute.
  enterprise: {
    perMinute: 60_000,
    perDay: 10_000_000,
    limitsPerOwner: true,
    toleratedRejectionsPerMinute: 5_000,
    banSeconds: 300,
  },
};

export const planNames = Object.keys(plans) as PlanName[];

/** The stored plan of an owner can have been renamed or removed since. */
export function isPlanName(name: string): name is PlanName {
  return Object.hasOwn(plans, name);
}

/** A record with a value for each plan. */
export function forEachPlan<T>(value: (name: PlanName) => T): Record<PlanName, T> {
  return Object.fromEntries(planNames.map((name) => [name, value(name)])) as Record<PlanName, T>;
}
