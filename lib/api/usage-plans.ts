import { Period, type Stage, UsagePlan } from 'aws-cdk-lib/aws-apigateway';
import { Construct } from 'constructs';
import { capitalized } from '../settings/names.ts';
import { type Plan, type PlanName, planNames, plans } from '../settings/plans.ts';

/**
 * One API Gateway usage plan per plan: metering, and the backstop behind the exact limiter.
 *
 * Fixed windows let a client spend two minutes' worth back to back around the minute's end, so a
 * bucket of that size never fires before the authorizer has.
 */
export class UsagePlans extends Construct {
  private readonly byName: Record<PlanName, UsagePlan>;

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id);
    this.byName = Object.fromEntries(
      planNames.map((name) => [name, usagePlan(this, name, plans[name], stage)]),
    ) as Record<PlanName, UsagePlan>;
  }

  usagePlanId(name: PlanName): string {
    return this.byName[name].usagePlanId;
  }
}

function usagePlan(scope: Construct, name: PlanName, plan: Plan, stage: Stage): UsagePlan {
  return new UsagePlan(scope, capitalized(name), {
    description: `Plan ${name}: ${plan.perMinute} requests a minute, ${plan.perDay} a day`,
    throttle: { rateLimit: plan.perMinute / 60, burstLimit: 2 * plan.perMinute },
    quota: { limit: plan.perDay, period: Period.DAY },
    apiStages: [{ stage }],
  });
}
