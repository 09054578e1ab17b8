import type { UsagePlan } from '../../../local/gateway/usage-plan.ts';

/** A usage plan without limits. */
export function plan(id: string): UsagePlan {
  return { id, name: id, throttle: undefined, perDay: undefined };
}
