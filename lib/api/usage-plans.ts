import { Period, type Stage, type ThrottleSettings, UsagePlan } from 'aws-cdk-lib/aws-apigateway';
import { Stack, Tags } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { capitalized, stackTag } from '../settings/names.ts';
import { type PlanName, plans, quotaInDays, recordByPlan } from '../settings/plans.ts';

/*
 * The default limits of all APIs of an account in most Regions. They apply even if a usage plan allows more. In 13
 * Regions, the default limits are lower: 2,500 requests a second, and a burst of 1,250.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
 */
const accountRequestsPerSecond = 10_000;
const accountBurst = 5_000;

/** The rate and the burst as multiples of what the limiter can admit, because API Gateway counts only approximately. */
const throttleMargin = 2;

/**
 * One API Gateway usage plan per plan, for metering and as a backstop behind the exact limiter.
 *
 * With fixed windows, a client can send the requests of two minutes within moments around the end of a minute. The
 * burst is larger, so that a usage plan never throttles a request that the authorizer admits. If the account's default
 * burst is smaller, the plan has the default burst and rate.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-api-usage-plans.html
 */
export class UsagePlans extends Construct {
  readonly byName: Readonly<Record<PlanName, UsagePlan>>;

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id);
    const { stackName } = Stack.of(this);
    this.byName = recordByPlan((name) => {
      const { perMinute, perDay } = plans[name];
      return new UsagePlan(this, capitalized(name), {
        name: `${stackName}-${name}`,
        description: `Plan ${name}: ${perMinute} requests a minute, ${perDay} a day`,
        throttle: throttleOf(perMinute),
        quota: { limit: quotaInDays * perDay, period: Period.DAY },
        apiStages: [{ stage }],
      });
    });
    // CloudFormation updates a plan before it deletes the plan, and AWS accepts one update in 20 s for each account.
    // Several deletions at the same time could fail, so each plan waits for the plan before it.
    const all = Object.values(this.byName);
    for (const [index, plan] of all.slice(1).entries()) plan.node.addDependency(all[index]!);
    Tags.of(this).add(stackTag, stackName);
  }
}

function throttleOf(perMinute: number): ThrottleSettings {
  const burst = throttleMargin * 2 * perMinute;
  return burst <= accountBurst
    ? { rateLimit: (throttleMargin * perMinute) / 60, burstLimit: burst }
    : { rateLimit: accountRequestsPerSecond, burstLimit: accountBurst };
}
