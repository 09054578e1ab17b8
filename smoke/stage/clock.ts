import { setTimeout as sleep } from 'node:timers/promises';

/** Time, as far as the smoke test waits for it. */
export interface Clock {
  /** Milliseconds since any moment. */
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

export const systemClock: Clock = { nowMs: () => performance.now(), sleep: (ms) => sleep(ms) };
