import { GatewayFault } from '../exchange/gateway-fault.ts';

/** The limits of a throttle. */
export interface TokenBucketLimits {
  readonly ratePerSecond: number;
  /** The capacity of a bucket in tokens. */
  readonly burst: number;
}

/** Token buckets by name. They start full, lose one token per request and refill at a fixed rate. */
export class TokenBuckets {
  readonly #now: () => number;
  readonly #buckets = new Map<string, { tokens: number; filledAtMs: number }>();

  /** @param now milliseconds since the epoch */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Takes a token from the bucket of that name.
   *
   * @throws GatewayFault `THROTTLED` when the bucket is empty
   */
  take(name: string, { ratePerSecond, burst }: TokenBucketLimits): void {
    const nowMs = this.#now();
    const { tokens, filledAtMs } = this.#buckets.get(name) ?? { tokens: burst, filledAtMs: nowMs };
    // A clock that was set back fills nothing at that moment, and the bucket as before from then on.
    const elapsedMs = Math.max(0, nowMs - filledAtMs);
    const available = Math.min(burst, tokens + (elapsedMs / 1000) * ratePerSecond);
    const isEmpty = available < 1;
    this.#buckets.set(name, { tokens: isEmpty ? available : available - 1, filledAtMs: nowMs });
    if (isEmpty) throw new GatewayFault('THROTTLED');
  }
}
