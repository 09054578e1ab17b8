/*
 * The two fixed windows of an owner's limits are the UTC minute and the UTC day. A window is
 * identified by its start in Unix seconds. An item stores one window of each kind with its count:
 *
 *        ----[ over )----[ current )----[ ahead )---+---[ void )-----------> UTC
 *                            now              now + tolerance
 *
 *   current or ahead   requests are counted in it. A window ahead of this machine's clock was started
 *                      by a machine whose clock is faster, and a window must not move back.
 *   over or void       it counts nothing, and the next admission replaces it by the current one. Only
 *                      a wrong clock can have started a void window.
 */

/**
 * How far two machines' clocks may differ without a limit being exceeded. Lambda's clocks differ by
 * milliseconds, and `clockOf` in dynamodb.ts keeps each within a minute of DynamoDB's clock. A window
 * further ahead than this was therefore started by a wrong clock.
 */
export const clockToleranceSeconds = 300;

/** The length of each window in seconds. */
export const windowLengths = { minute: 60, day: 86_400 } as const;

export type WindowName = keyof typeof windowLengths;

export const windowNames = Object.keys(windowLengths) as readonly WindowName[];

/** An owner's limits and counters. Windows are given by their start in Unix seconds. */
export interface WindowCounters {
  perMinute: number;
  perDay: number;
  /** The start of the UTC minute that `minuteCount` counts; 0 before the first request. */
  minuteWindow: number;
  minuteCount: number;
  dayWindow: number;
  dayCount: number;
}

/** An owner's use of one window at a given time. `reset` is Unix seconds. */
export interface WindowUse {
  limit: number;
  used: number;
  remaining: number;
  reset: number;
  /** False for a window that is over or void, which the next admission replaces. */
  isCounting: boolean;
}

export type WindowUses = Record<WindowName, WindowUse>;

/** The start of the UTC minute and of the UTC day of a given time. */
export function windowStarts(nowSeconds: number): Record<WindowName, number> {
  return {
    minute: nowSeconds - (nowSeconds % windowLengths.minute),
    day: nowSeconds - (nowSeconds % windowLengths.day),
  };
}

/** The latest start of a window that a clock within the tolerance can have written. */
export function newestWindow(nowSeconds: number): number {
  return nowSeconds + clockToleranceSeconds;
}

/** An owner's use of both windows at a given time. */
export function windowUses(counters: WindowCounters, nowSeconds: number): WindowUses {
  const { perMinute, minuteWindow, minuteCount, perDay, dayWindow, dayCount } = counters;
  return {
    minute: windowUse('minute', perMinute, minuteWindow, minuteCount, nowSeconds),
    day: windowUse('day', perDay, dayWindow, dayCount, nowSeconds),
  };
}

function windowUse(
  name: WindowName,
  limit: number,
  window: number,
  count: number,
  nowSeconds: number,
): WindowUse {
  const current = windowStarts(nowSeconds)[name];
  const isCounting = window >= current && window <= newestWindow(nowSeconds);
  const used = isCounting ? count : 0;
  const reset = (isCounting ? window : current) + windowLengths[name];
  return { limit, used, remaining: Math.max(0, limit - used), reset, isCounting };
}
