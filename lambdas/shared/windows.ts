import type { KeyRecord } from './key-record.ts';

const minuteSeconds = 60;
const daySeconds = 86_400;

/** A key's use of one window. Times are Unix seconds. */
export interface WindowUse {
  limit: number;
  remaining: number;
  reset: number;
  /** The item still counts an earlier window: the next admission starts this one. */
  isStale: boolean;
}

/** The start of the UTC minute and of the UTC day that a moment falls into. */
export function windowStarts(nowSeconds: number) {
  return {
    minute: nowSeconds - (nowSeconds % minuteSeconds),
    day: nowSeconds - (nowSeconds % daySeconds),
  };
}

/**
 * What is left of both windows at a moment. A window that lies ahead of this machine's clock is
 * the current one: another machine's clock is a little faster, and a window never moves back.
 */
export function windowUses(key: KeyRecord, nowSeconds: number) {
  const { minute, day } = windowStarts(nowSeconds);
  return {
    minute: windowUse(key.perMinute, key.minuteWindow, key.minuteCount, minute, minuteSeconds),
    day: windowUse(key.perDay, key.dayWindow, key.dayCount, day, daySeconds),
  };
}

function windowUse(
  limit: number,
  countedWindow: number,
  count: number,
  currentWindow: number,
  lengthSeconds: number,
): WindowUse {
  const isStale = countedWindow < currentWindow;
  const used = isStale ? 0 : count;
  const start = isStale ? currentWindow : countedWindow;
  return { limit, remaining: Math.max(0, limit - used), reset: start + lengthSeconds, isStale };
}
