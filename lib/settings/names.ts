import type { PlanName } from './plans.ts';
import type { StageName } from './stages.ts';

/** Name of a stage's stack: `StoreOrders-prod`. */
export function stackName(stage: StageName): string {
  return `StoreOrders-${stage}`;
}

/** Name of the stack's output that holds the id of a plan's usage plan: `UsagePlanIdFree`. */
export function usagePlanOutput(plan: PlanName): string {
  return `UsagePlanId${capitalized(plan)}`;
}

/** `free` → `Free`, as construct ids are written. */
export function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
