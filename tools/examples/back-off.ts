import { type Fetch, pause } from './pace.ts';

export interface BackOffSettings {
  /** The total number of attempts, including the first. @default 5 */
  readonly maxAttempts?: number;
  /** Waits for a number of milliseconds, or until the signal is aborted. @default a timer */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Returns a number from 0 up to, but not including, 1. @default Math.random */
  readonly random?: () => number;
}

/** The maximum of the first pause, which doubles with every attempt, and that of every pause. */
const firstPauseMs = 250;
const maxPauseMs = 20_000;
/** A response with a longer `Retry-After`, such as for an exhausted day, is returned to the caller. */
const maxRetryAfterSeconds = 120;

/**
 * Wraps `fetch` so that it retries after 429, 5xx, and failed connections. It waits for the time in
 * `Retry-After`, or else uses exponential backoff with full jitter, so that clients that failed at
 * the same time do not retry at the same time. Any other 4xx is final.
 *
 * Both operations are safe to repeat. If the response to a successful cancellation is lost, the retry
 * is answered 409 `order_already_cancelled`.
 */
export function withBackOff(fetch: Fetch, settings: BackOffSettings = {}): Fetch {
  const { maxAttempts = 5, sleep = pause, random = Math.random } = settings;
  return async (request) => {
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt >= maxAttempts;
      const response = await fetch(request.clone()).catch((error: unknown) => {
        if (isLast) throw error;
        return undefined;
      });
      const pauseMs = isLast ? undefined : pauseAfter(response, attempt, random);
      if (response && pauseMs === undefined) return response;
      // A body that is not read would keep its connection busy.
      await response?.body?.cancel();
      await sleep(pauseMs ?? 0, request.signal);
    }
  };
}

/** The milliseconds until the next attempt; undefined if there should be none. */
function pauseAfter(
  response: Response | undefined,
  attempt: number,
  random: () => number,
): number | undefined {
  if (response && response.status !== 429 && response.status < 500) return undefined;
  const retryAfter = response?.headers.get('Retry-After') ?? '';
  if (/^\d+$/.test(retryAfter)) {
    return Number(retryAfter) > maxRetryAfterSeconds ? undefined : Number(retryAfter) * 1_000;
  }
  return random() * Math.min(maxPauseMs, firstPauseMs * 2 ** (attempt - 1));
}
