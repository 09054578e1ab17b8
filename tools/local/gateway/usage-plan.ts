import { TemplateError } from '../errors.ts';
import { GatewayFault } from '../exchange/gateway-fault.ts';
import {
  checkKnownProperties,
  type Template,
  type TemplateResource,
} from '../template/template.ts';

/** The limits of a throttle. */
export interface TokenBucketLimits {
  readonly ratePerSecond: number;
  /** The capacity of a bucket in tokens. */
  readonly burst: number;
}

/** A usage plan of the API's stage, as the template defines it. */
export interface UsagePlan {
  readonly id: string;
  readonly throttle: TokenBucketLimits | undefined;
  /** The requests of a key on a day (UTC); undefined when there is no such limit. */
  readonly perDay: number | undefined;
}

/** An API key of API Gateway. It identifies an owner for usage plans and is not the bearer token. */
export interface GatewayKey {
  readonly id: string;
  readonly value: string;
  readonly enabled: boolean;
}

/** The control plane's API keys and their usage plans. */
export interface UsagePlanKeys {
  /** The metered requests by plan, key and day, whose names `usageName` makes. */
  readonly usage: Map<string, number>;
  findKey(value: string): GatewayKey | undefined;
  isInPlan(keyId: string, planId: string): boolean;
}

/**
 * The template's usage plans.
 *
 * @throws TemplateError for what is not supported, such as a throttle of a single method
 */
export function readUsagePlans(template: Template): UsagePlan[] {
  return template.ofType('AWS::ApiGateway::UsagePlan').map(readUsagePlan);
}

function readUsagePlan({ logicalId, ref, property }: TemplateResource): UsagePlan {
  for (const stage of property('ApiStages') ?? []) {
    checkKnownProperties(logicalId, 'ApiStages', stage, 'ApiId Stage Throttle');
    checkKnownProperties(logicalId, 'ApiStages.Throttle', stage.Throttle ?? {}, '');
  }
  const { RateLimit, BurstLimit } = property('Throttle') ?? {};
  const quota = property('Quota');
  if (quota && quota.Period !== 'DAY') {
    throw new TemplateError(logicalId, `a quota by ${quota.Period} is not supported locally`);
  }
  return {
    id: ref,
    throttle: RateLimit ? { ratePerSecond: RateLimit, burst: BurstLimit } : undefined,
    perDay: quota?.Limit,
  };
}

/** The name of the requests of a key in a plan on a day (UTC), such as `2026-11-20`. */
export function usageName(planId: string, keyId: string, day: string): string {
  return `${planId} ${keyId} ${day}`;
}

/** Takes a token from the bucket of a name. @throws GatewayFault `THROTTLED` when it is empty */
export type TakeToken = (name: string, limits: TokenBucketLimits) => void;

/**
 * Counts a request for its key, and returns the key.
 *
 * @throws GatewayFault `INVALID_API_KEY` when the key is unknown, disabled or in no plan;
 *   `THROTTLED` above the plan's rate; `QUOTA_EXCEEDED` above its quota
 */
export type MeterUsage = (keyValue: string | undefined) => GatewayKey;

/**
 * Applies the throttles and quotas of usage plans to requests, by API key.
 *
 * @param now milliseconds since the epoch
 */
export function meterUsage(
  plans: readonly UsagePlan[],
  keys: UsagePlanKeys,
  takeToken: TakeToken,
  now: () => number,
): MeterUsage {
  function count(planId: string, keyId: string, perDay: number): void {
    const name = usageName(planId, keyId, new Date(now()).toISOString().slice(0, 10));
    const used = keys.usage.get(name) ?? 0;
    if (used >= perDay) throw new GatewayFault('QUOTA_EXCEEDED');
    keys.usage.set(name, used + 1);
  }

  return (keyValue) => {
    const key = keyValue === undefined ? undefined : keys.findKey(keyValue);
    const plan = key?.enabled && plans.find(({ id }) => keys.isInPlan(key.id, id));
    if (!key || !plan) throw new GatewayFault('INVALID_API_KEY');
    if (plan.throttle) takeToken(`${plan.id} ${key.id}`, plan.throttle);
    if (plan.perDay !== undefined) count(plan.id, key.id, plan.perDay);
    return key;
  };
}

/**
 * Token buckets by name. They start full, lose one token per request and refill at a fixed rate.
 *
 * @param monotonicMs a clock in milliseconds that is never set back, which would stop the refill
 */
export function tokenBuckets(monotonicMs: () => number): TakeToken {
  const buckets = new Map<string, { tokens: number; filledAtMs: number }>();
  return (name, { ratePerSecond, burst }) => {
    const nowMs = monotonicMs();
    const { tokens, filledAtMs } = buckets.get(name) ?? { tokens: burst, filledAtMs: nowMs };
    const available = Math.min(burst, tokens + ((nowMs - filledAtMs) / 1000) * ratePerSecond);
    const isEmpty = available < 1;
    buckets.set(name, { tokens: isEmpty ? available : available - 1, filledAtMs: nowMs });
    if (isEmpty) throw new GatewayFault('THROTTLED');
  };
}
