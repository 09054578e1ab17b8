import type { PlanName } from './plans.ts';
import type { StageName } from './stages.ts';

/** Name of a stage's stack: `StoreOrders-prod`. */
export function stackName(stage: StageName): string {
  return `StoreOrders-${stage}`;
}

/**
 * Tag of a stage's usage plans and gateway keys, whose value is the stack's name. Their ARNs do not
 * say which stage they belong to; a policy that has to tell them apart can look at this.
 */
export const stackTag = 'store-orders-stack';

/** Name of the stack's output that holds the id of a plan's usage plan: `UsagePlanIdFree`. */
export function usagePlanOutput(plan: PlanName): string {
  return `UsagePlanId${capitalized(plan)}`;
}

/** `free` → `Free`, as construct ids are written. */
export function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
