/** The numbers of a plan. All plans are in `lib/settings/plans.ts`. */
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
 * The numbers that apply to the owners of a plan. If this version does not know the plan, the smallest limits apply.
 * Then no key is banned, because the ban would also hold in the version that knows the plan.
 */
export function planNumbers(name: string, plans: Plans): Plan {
  const [smallest] = Object.values(plans);
  const ofUnknown = { ...smallest!, toleratedRejectionsPerMinute: Number.MAX_SAFE_INTEGER };
  return findPlan(name, plans) ?? ofUnknown;
}

/** The limits that apply to an owner: the plan's limits or, if the plan allows own limits, the smaller of the two. */
export function limitsOf(own: Partial<Limits>, plan: Plan): Limits {
  const { perMinute, perDay, limitsPerOwner } = plan;
  if (!limitsPerOwner) return { perMinute, perDay };
  return {
    perMinute: Math.min(own.perMinute ?? perMinute, perMinute),
    perDay: Math.min(own.perDay ?? perDay, perDay),
  };
}
