type Fetch = (request: Request) => Promise<Response>;

export interface PaceSettings {
  /** The requests of each window that are left over, as many as other processes share the key. @default 2 */
  readonly reserve?: number;
  /** The time in milliseconds. @default Date.now */
  readonly now?: () => number;
  /** Waits for a number of milliseconds, or until the signal is aborted. @default a timer */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Wraps `fetch` so that no request is refused with 429. When `RateLimit` says that the minute or the day
 * is used up to the reserve, the next request waits for the next minute or day, or until it is aborted.
 *
 * A process sends its next request when the last one has been answered. So it sends at most one after
 * the reserve has been reached, and the others that share the key have enough with a reserve of as many.
 */
export function withPace(fetch: Fetch, settings: PaceSettings = {}): Fetch {
  const { reserve = 2, now = Date.now, sleep = pause } = settings;
  let resumeMs = 0;
  let last: Promise<void> = Promise.resolve();
  return async (request) => {
    const turn = last;
    const answered = Promise.withResolvers<void>();
    last = turn.then(() => answered.promise);
    try {
      await unlessAborted(request.signal, turn);
      if (now() < resumeMs) await sleep(resumeMs - now(), request.signal);
      const response = await fetch(request);
      const windows = response.headers.get('RateLimit') ?? '';
      for (const [, left, seconds] of windows.matchAll(/;r=(\d+);t=(\d+)/g)) {
        if (Number(left) > reserve) continue;
        resumeMs = Math.max(resumeMs, now() + Number(seconds) * 1_000);
      }
      return response;
    } finally {
      answered.resolve();
    }
  };
}

/** Waits for a number of milliseconds, and rejects as soon as the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return unlessAborted(signal, elapsed).finally(() => clearTimeout(timer));
}

function unlessAborted(signal: AbortSignal, work: Promise<void>): Promise<void> {
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, aborted]);
}
