import type { UsagePlan } from '../../../local/gateway/usage-plan.ts';

/** A usage plan without limits, of one stage unless more are named. */
export function plan(id: string, names = ['test'], apiId = 'api'): UsagePlan {
  const stages = names.map((stage) => ({ apiId, stage, methodThrottles: {} }));
  return { id, name: id, stages, throttle: undefined, quota: undefined };
}
