export type Fetch = (request: Request) => Promise<Response>;

/** The requests of each window that are left over for other processes that share the key. */
const reserve = 2;

/**
 * Wraps `fetch` so that no request is refused with 429. When `RateLimit` says that the minute or the day
 * is used up to the reserve, the next request waits for the next minute or day, or until it is aborted.
 *
 * A process sends its next request when the last one has been answered. So it sends at most one after
 * the reserve has been reached, and the others that share the key have enough with a reserve of as many.
 */
export function withPace(fetch: Fetch): Fetch {
  let resumeMs = 0;
  let last: Promise<void> = Promise.resolve();
  return async (request) => {
    const turn = last;
    const answered = Promise.withResolvers<void>();
    last = turn.then(() => answered.promise);
    try {
      await unlessAborted(request.signal, turn);
      const waitMs = resumeMs - Date.now();
      if (waitMs > 0) await pause(waitMs, request.signal);
      const response = await fetch(request);
      const windows = response.headers.get('RateLimit') ?? '';
      for (const [, left, seconds] of windows.matchAll(/;r=(\d+);t=(\d+)/g)) {
        if (Number(left) > reserve) continue;
        resumeMs = Math.max(resumeMs, Date.now() + Number(seconds) * 1_000);
      }
      return response;
    } finally {
      answered.resolve();
    }
  };
}

/** Waits for a number of milliseconds, and rejects as soon as the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  const elapsed = Promise.withResolvers<void>();
  const timer = setTimeout(elapsed.resolve, ms);
  return unlessAborted(signal, elapsed.promise).finally(() => clearTimeout(timer));
}

function unlessAborted(signal: AbortSignal, work: Promise<void>): Promise<void> {
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, aborted]);
}
