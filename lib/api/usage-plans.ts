import { Period, type Stage, type ThrottleSettings, UsagePlan } from 'aws-cdk-lib/aws-apigateway';
import { Stack, Tags } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { capitalized, stackTag } from '../settings/names.ts';
import { type Plan, type PlanName, planNames, plans } from '../settings/plans.ts';

/*
 * What an account has in a Region by default, for all its APIs together; a usage plan that allows
 * more promises what API Gateway does not keep.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
 */
const accountRequestsPerSecond = 10_000;
const accountBurst = 5_000;

/** AWS calls throttling and quotas of usage plans best-effort targets. */
const quotaMargin = 1.2;

/**
 * One API Gateway usage plan per plan: metering, and the backstop behind the exact limiter.
 *
 * Fixed windows let a client spend two minutes' worth back to back around the minute's end, so a
 * bucket of that size, or the account's where that is smaller, never fires before the authorizer
 * has. Where the bucket is the account's, the rate that refills it is too.
 */
export class UsagePlans extends Construct {
  private readonly byName: Record<PlanName, UsagePlan>;

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id);
    this.byName = Object.fromEntries(
      planNames.map((name) => [name, usagePlan(this, name, plans[name], stage)]),
    ) as Record<PlanName, UsagePlan>;
    Tags.of(this).add(stackTag, Stack.of(this).stackName);
  }

  usagePlanId(name: PlanName): string {
    return this.byName[name].usagePlanId;
  }
}

function throttleOf({ perMinute }: Plan): ThrottleSettings {
  const burst = 2 * perMinute;
  return burst <= accountBurst
    ? { rateLimit: perMinute / 60, burstLimit: burst }
    : { rateLimit: accountRequestsPerSecond, burstLimit: accountBurst };
}

function usagePlan(scope: Construct, name: PlanName, plan: Plan, stage: Stage): UsagePlan {
  return new UsagePlan(scope, capitalized(name), {
    description: `Plan ${name}: ${plan.perMinute} requests a minute, ${plan.perDay} a day`,
    throttle: throttleOf(plan),
    quota: { limit: Math.ceil(quotaMargin * plan.perDay), period: Period.DAY },
    apiStages: [{ stage }],
  });
}
