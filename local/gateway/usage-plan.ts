import { GatewayFault } from '../exchange/gateway-fault.ts';
import { checkKnownProperties } from '../template/known-properties.ts';
import type { Template, TemplateResource } from '../template/template.ts';
import { readLimits, type TokenBucketLimits, TokenBuckets } from './token-bucket.ts';

/** A usage plan as the template defines it. */
export interface UsagePlan {
  readonly id: string;
  readonly name: string;
  /** The stages of the plan, with its throttles of single methods. */
  readonly stages: readonly UsagePlanStage[];
  readonly throttle: TokenBucketLimits | undefined;
  readonly quota: Quota | undefined;
}

export interface UsagePlanStage {
  readonly apiId: string;
  readonly stage: string;
  /** The throttles by resource path and method, such as `/orders/GET`. */
  readonly methodThrottles: Readonly<Record<string, TokenBucketLimits>>;
}

export interface Quota {
  readonly limit: number;
  readonly period: QuotaPeriod;
}

type QuotaPeriod = 'DAY' | 'WEEK' | 'MONTH';

/** An API key of API Gateway. It identifies an owner for usage plans and is not the bearer token. */
export interface GatewayKey {
  readonly id: string;
  readonly value: string;
  readonly isEnabled: boolean;
}

/** The control plane's API keys and their usage plans. */
export interface UsagePlanKeys {
  findKey(value: string): GatewayKey | undefined;
  isInPlan(keyId: string, planId: string): boolean;
}

/** The method that a request calls. */
interface UsedMethod {
  readonly apiId: string;
  readonly stage: string;
  readonly resourcePath: string;
  readonly httpMethod: string;
}

/** The requests counted by plan and key in the current period, in a form that can be stored. */
export type QuotaUsage = Record<string, { period: string; count: number }>;

const dayMs = 86_400_000;

/** The template's usage plans. */
export function readUsagePlans(template: Template): UsagePlan[] {
  return template.ofType('AWS::ApiGateway::UsagePlan').map(readUsagePlan);
}

function readUsagePlan({ logicalId, ref, property }: TemplateResource): UsagePlan {
  const stages = (property('ApiStages') ?? []).map((stage: Record<string, never>) => {
    checkKnownProperties(logicalId, 'ApiStages', stage, 'ApiId Stage Throttle');
    const throttles = Object.entries(stage.Throttle ?? {});
    return {
      apiId: stage.ApiId,
      stage: stage.Stage,
      methodThrottles: Object.fromEntries(
        throttles.map(([method, limits]) => [method, readLimits(limits, logicalId)]),
      ),
    };
  });
  return {
    id: ref,
    name: property('UsagePlanName') ?? logicalId,
    stages,
    throttle: readLimits(property('Throttle'), logicalId),
    quota: readQuota(property('Quota'), logicalId),
  };
}

function readQuota(quota: { Limit: number; Period: QuotaPeriod } | undefined, logicalId: string) {
  if (!quota) return undefined;
  checkKnownProperties(logicalId, 'Quota', quota, 'Limit Period');
  return { limit: quota.Limit, period: quota.Period };
}

/** Applies the throttles and quotas of usage plans to requests, by API key. */
export class UsageMeter {
  readonly #plans: readonly UsagePlan[];
  readonly #keys: UsagePlanKeys;
  readonly #now: () => number;
  readonly #buckets: TokenBuckets;
  readonly #usage: QuotaUsage;
  readonly #onCount: () => void;

  /**
   * @param now milliseconds since the epoch
   * @param usage the counts of an earlier run; the meter updates this object
   * @param onCount called after every request that counts against a quota
   */
  constructor(
    plans: readonly UsagePlan[],
    keys: UsagePlanKeys,
    now: () => number,
    usage: QuotaUsage = {},
    onCount: () => void = () => {},
  ) {
    this.#onCount = onCount;
    this.#plans = plans;
    this.#keys = keys;
    this.#now = now;
    this.#buckets = new TokenBuckets(now);
    this.#usage = usage;
  }

  /**
   * Counts a request for its key.
   *
   * @throws GatewayFault `INVALID_API_KEY` when the key is unknown, disabled or in no plan of the
   *   stage; `THROTTLED` above the plan's rate; `QUOTA_EXCEEDED` above its quota
   */
  admit(keyValue: string | undefined, method: UsedMethod): GatewayKey {
    const key = keyValue === undefined ? undefined : this.#keys.findKey(keyValue);
    const found = key?.isEnabled ? this.#planOf(key, method) : undefined;
    if (!key || !found) throw new GatewayFault('INVALID_API_KEY');
    const { plan, stage } = found;
    const methodName = `${method.resourcePath}/${method.httpMethod}`;
    this.#buckets.take(`${plan.id} ${key.id} ${methodName}`, stage.methodThrottles[methodName]);
    this.#buckets.take(`${plan.id} ${key.id}`, plan.throttle);
    this.#countAgainstQuota(plan, key);
    return key;
  }

  #planOf(key: GatewayKey, { apiId, stage }: UsedMethod) {
    for (const plan of this.#plans) {
      const match = plan.stages.find((item) => item.apiId === apiId && item.stage === stage);
      if (match && this.#keys.isInPlan(key.id, plan.id)) return { plan, stage: match };
    }
    return undefined;
  }

  #countAgainstQuota({ id, quota }: UsagePlan, key: GatewayKey): void {
    if (!quota) return;
    const name = `${id} ${key.id}`;
    const period = periodOf(quota.period, this.#now());
    const used = this.#usage[name];
    const count = used?.period === period ? used.count : 0;
    if (count >= quota.limit) throw new GatewayFault('QUOTA_EXCEEDED');
    this.#usage[name] = { period, count: count + 1 };
    this.#onCount();
  }
}

/** The first day of the quota period in UTC: today, the last Sunday or the first of the month. */
function periodOf(period: QuotaPeriod, timeMs: number): string {
  const daysBack = {
    DAY: 0,
    WEEK: new Date(timeMs).getUTCDay(),
    MONTH: new Date(timeMs).getUTCDate() - 1,
  };
  return new Date(timeMs - daysBack[period] * dayMs).toISOString().slice(0, 10);
}
