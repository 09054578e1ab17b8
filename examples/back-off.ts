export interface BackOffSettings {
  /** Attempts in all, the first one included. @default 5 */
  readonly maxAttempts?: number;
  /** Longest first pause; it doubles with every attempt. @default 250 */
  readonly firstPauseMs?: number;
  /** Longest pause of its own choice. @default 20,000 */
  readonly maxPauseMs?: number;
  /** A `Retry-After` beyond this is left to the caller: a used-up day is no pause. @default 120 */
  readonly maxRetryAfterSeconds?: number;
  /** Waits; takes milliseconds. @default a timer */
  readonly sleep?: (ms: number) => Promise<void>;
  /** From 0 up to 1. @default Math.random */
  readonly random?: () => number;
}

type Fetch = (request: Request) => Promise<Response>;

/**
 * A `fetch` that tries again what is worth trying again: 429, 5xx, and no answer at all. It waits as
 * long as `Retry-After` says, and otherwise exponentially with full jitter, so that clients that
 * failed together do not come back together. Any other 4xx is final: asking again changes nothing.
 *
 * Both operations may be repeated. A cancellation that was carried out although its answer was lost
 * is answered 409 `order_already_cancelled` the second time.
 */
export function withBackOff(fetch: Fetch, settings: BackOffSettings = {}): Fetch {
  const { maxAttempts = 5, sleep = timer } = settings;
  return async (request) => {
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt >= maxAttempts;
      const response = await fetch(request.clone()).catch((error: unknown) => {
        if (isLast || request.signal.aborted) throw error;
        return undefined;
      });
      const pauseMs = isLast ? undefined : pauseAfter(response, attempt, settings);
      if (response && pauseMs === undefined) return response;
      // Unread, the body would hold on to its connection.
      await response?.body?.cancel();
      await sleep(pauseMs ?? 0);
    }
  };
}

/** Milliseconds until the next attempt; undefined where there should be none. */
function pauseAfter(
  response: Response | undefined,
  attempt: number,
  {
    firstPauseMs = 250,
    maxPauseMs = 20_000,
    maxRetryAfterSeconds = 120,
    random = Math.random,
  }: BackOffSettings,
): number | undefined {
  if (response && response.status !== 429 && response.status < 500) return undefined;
  const retryAfter = response?.headers.get('Retry-After') ?? '';
  if (/^\d+$/.test(retryAfter)) {
    return Number(retryAfter) > maxRetryAfterSeconds ? undefined : Number(retryAfter) * 1_000;
  }
  return random() * Math.min(maxPauseMs, firstPauseMs * 2 ** (attempt - 1));
}

function timer(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
