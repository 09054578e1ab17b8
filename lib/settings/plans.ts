/**
 * The plans and their numbers, in the one place that holds them: the usage plans, the authorizer's
 * ban rules, the operator's commands, the contract and the documentation are made or checked from
 * this table.
 */

export interface Plan {
  /** Requests admitted per UTC minute; with `limitsPerOwner`, the most that an owner can be given. */
  readonly perMinute: number;
  /** Requests admitted per UTC day; with `limitsPerOwner`, the most that an owner can be given. */
  readonly perDay: number;
  /** Whether each owner has limits of its own, agreed with it. */
  readonly limitsPerOwner: boolean;
  /** Rejected requests within a UTC minute that are still forgiven; one more bans the key. */
  readonly toleratedRejectionsPerMinute: number;
  /** How long a ban lasts. */
  readonly banSeconds: number;
}

export type PlanName = 'free' | 'pro' | 'business' | 'enterprise';

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
  // 60,000 a minute is what one DynamoDB partition, and therefore one owner's item, can count.
  enterprise: {
    perMinute: 60_000,
    perDay: 10_000_000,
    limitsPerOwner: true,
    toleratedRejectionsPerMinute: 5_000,
    banSeconds: 300,
  },
};

export const planNames = Object.keys(plans) as PlanName[];
