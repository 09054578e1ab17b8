import type { UsagePlan } from '../../../local/gateway/usage-plan.ts';

/** A usage plan of one stage, without limits. */
export function plan(id: string, stage = 'test'): UsagePlan {
  const stages = [{ apiId: 'api', stage, methodThrottles: {} }];
  return { id, name: id, stages, throttle: undefined, quota: undefined };
}
