import { unsupported } from '../errors.ts';
import type { Template, TemplateResource } from '../template/template.ts';
import { GatewayFault } from './gateway-fault.ts';

/** The limits of a throttle. */
export interface TokenBucketLimits {
  readonly ratePerSecond: number;
  /** The capacity in tokens. */
  readonly burst: number;
}

/** A usage plan of the API's stage, as the template defines it. */
export interface UsagePlan {
  readonly id: string;
  readonly throttle: TokenBucketLimits | undefined;
  /** The requests of a key on a day (UTC); undefined if there is no such limit. */
  readonly perDay: number | undefined;
}

/** @throws TemplateError for a quota that is not per day */
export function readUsagePlans(template: Template): UsagePlan[] {
  return template.ofType('AWS::ApiGateway::UsagePlan').map(readUsagePlan);
}

function readUsagePlan({ logicalId, ref, property }: TemplateResource): UsagePlan {
  const { RateLimit, BurstLimit } = property('Throttle') ?? {};
  const quota = property('Quota');
  if (quota && quota.Period !== 'DAY') {
    throw unsupported(logicalId, `a quota per ${quota.Period}`);
  }
  return {
    id: ref,
    throttle: RateLimit ? { ratePerSecond: RateLimit, burst: BurstLimit } : undefined,
    perDay: quota?.Limit,
  };
}

/** Takes a token from the bucket of a name. @throws GatewayFault `THROTTLED` if it is empty */
export type TakeToken = (name: string, limits: TokenBucketLimits) => void;

/** Token buckets by name. They start full. */
export function tokenBuckets(now: () => number): TakeToken {
  const buckets = new Map<string, { tokens: number; filledAtMs: number }>();
  return (name, { ratePerSecond, burst }) => {
    const nowMs = now();
    const { tokens, filledAtMs } = buckets.get(name) ?? { tokens: burst, filledAtMs: nowMs };
    // The time is negative if the clock was set back.
    const passedSeconds = Math.max(0, nowMs - filledAtMs) / 1_000;
    const available = Math.min(burst, tokens + passedSeconds * ratePerSecond);
    const isEmpty = available < 1;
    buckets.set(name, { tokens: isEmpty ? available : available - 1, filledAtMs: nowMs });
    if (isEmpty) throw new GatewayFault('THROTTLED');
  };
}
