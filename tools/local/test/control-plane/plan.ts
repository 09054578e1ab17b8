import type { UsagePlan } from '../../gateway/usage-plan.ts';

/** A usage plan without limits. */
export function plan(id: string): UsagePlan {
  return { id, name: id, throttle: undefined, perDay: undefined };
}
