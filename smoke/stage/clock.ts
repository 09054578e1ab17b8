import { setTimeout as sleep } from 'node:timers/promises';

/** The clock with which the smoke test waits. */
export interface Clock {
  /** Milliseconds since an arbitrary time. */
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

export const systemClock: Clock = { nowMs: () => performance.now(), sleep: (ms) => sleep(ms) };
