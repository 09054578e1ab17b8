/** A plan's numbers. `lib/settings/plans.ts` has those of every plan. */
export interface Plan {
  /** Requests admitted per UTC minute; with `limitsPerOwner`, the maximum for an owner. */
  readonly perMinute: number;
  /** Requests admitted per UTC day; with `limitsPerOwner`, the maximum for an owner. */
  readonly perDay: number;
  /** Whether owners have limits of their own. */
  readonly limitsPerOwner: boolean;
  /** The number of rejected requests within a UTC minute beyond which the key is banned. */
  readonly toleratedRejectionsPerMinute: number;
  readonly banSeconds: number;
}

/** Plans by their names, from the smallest to the largest. */
export type Plans = Readonly<Record<string, Plan>>;

/** The numbers of requests that are admitted in each window. */
export type Limits = Pick<Plan, 'perMinute' | 'perDay'>;

/** Finds a plan. Returns undefined if it was removed, or if only a newer version has it. */
export function findPlan(name: string, plans: Plans): Plan | undefined {
  return Object.hasOwn(plans, name) ? plans[name] : undefined;
}

/**
 * The numbers that count for the owners of a plan. Of a plan that this version does not know, these are the smallest
 * limits. Its keys are not banned, because the version that knows the plan would obey the ban, too.
 */
export function planNumbers(name: string, plans: Plans): Plan {
  const [smallest] = Object.values(plans);
  const ofUnknown = { ...smallest!, toleratedRejectionsPerMinute: Number.MAX_SAFE_INTEGER };
  return findPlan(name, plans) ?? ofUnknown;
}

/** The limits that count for an owner: the plan's, or its own ones up to the plan's if the plan has such limits. */
export function limitsOf(own: Partial<Limits>, plan: Plan): Limits {
  const { perMinute, perDay, limitsPerOwner } = plan;
  if (!limitsPerOwner) return { perMinute, perDay };
  return {
    perMinute: Math.min(own.perMinute ?? perMinute, perMinute),
    perDay: Math.min(own.perDay ?? perDay, perDay),
  };
}
