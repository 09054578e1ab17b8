import { GatewayFault } from '../exchange/gateway-fault.ts';
import { TemplateError } from '../template/template-error.ts';

export interface TokenBucketLimits {
  readonly ratePerSecond: number;
  /** The capacity of a bucket in tokens. */
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/**
 * The limits of a `Throttle` property; undefined when it sets none.
 *
 * @throws TemplateError when it sets only one of the two
 */
export function readLimits(throttle: unknown, logicalId: string): TokenBucketLimits | undefined {
  const { RateLimit, BurstLimit } = (throttle ?? {}) as Record<string, number | undefined>;
  if (RateLimit === undefined && BurstLimit === undefined) return undefined;
  if (RateLimit !== undefined && BurstLimit !== undefined) {
    return { ratePerSecond: RateLimit, burst: BurstLimit };
  }
  throw new TemplateError(
    logicalId,
    'a rate without a burst, or a burst without a rate, is not supported',
  );
}

/** Token buckets by name. They start full, lose one token per request and refill at a fixed rate. */
export class TokenBuckets {
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** @param now milliseconds since the epoch */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Takes a token from the bucket of that name. Does nothing without limits.
   *
   * @throws GatewayFault `THROTTLED` when the bucket is empty
   */
  take(name: string, limits: TokenBucketLimits | undefined): void {
    if (!limits) return;
    const { tokens, filledAtMs } = this.#buckets.get(name) ?? {
      tokens: limits.burst,
      filledAtMs: this.#now(),
    };
    // If the clock goes back, the same period must not refill the bucket twice.
    const now = Math.max(filledAtMs, this.#now());
    const filled = tokens + ((now - filledAtMs) / 1000) * limits.ratePerSecond;
    const available = Math.min(limits.burst, filled);
    const isEmpty = available < 1;
    this.#buckets.set(name, { tokens: isEmpty ? available : available - 1, filledAtMs: now });
    if (isEmpty) throw new GatewayFault('THROTTLED');
  }
}
