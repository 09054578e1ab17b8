/*
 * The two fixed windows of an owner's limits are the UTC minute and the UTC day. A window is
 * identified by its start in Unix seconds. For each of the two, an item stores the window that
 * requests are counted in and the prior one:
 *
 *        ----[ prior )----[ window )--------+---------------------------+-----------> UTC
 *                                          now         now + tolerance
 *
 *   window <  the current one          `turn`: the window is over, and the next admission replaces it
 *                                      by the current one
 *   window <= now + tolerance          `count`: requests are counted in it, even if it is ahead of
 *                                      this machine's clock, because another machine's clock may be
 *                                      faster and a window must not move back
 *   window >  now + tolerance          `repair`: the window is void, because only a wrong clock can
 *                                      have started it; the next write replaces it by the current
 *                                      one and keeps what was counted in both
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

/** An owner's limits and counters. Windows are given by their start in Unix seconds. */
export interface WindowCounters {
  perMinute: number;
  perDay: number;
  /** The start of the UTC minute that `minuteCount` counts; 0 before the first request. */
  minuteWindow: number;
  minuteCount: number;
  /** The window before `minuteWindow` in which requests were counted, and their number. */
  priorMinuteWindow: number;
  priorMinuteCount: number;
  dayWindow: number;
  dayCount: number;
  priorDayWindow: number;
  priorDayCount: number;
}

/** The stored counters of one window. */
export interface StoredWindow {
  window: number;
  count: number;
  priorWindow: number;
  priorCount: number;
}

/** What the next write does with a window, as described at the top of this file. */
export type WindowStep = 'count' | 'turn' | 'repair';

/** An owner's use of one window at a given time. Times are Unix seconds. */
export interface WindowUse {
  limit: number;
  used: number;
  remaining: number;
  /** The start of the window in which the next request is counted. */
  start: number;
  reset: number;
  step: WindowStep;
  stored: StoredWindow;
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
  const starts = windowStarts(nowSeconds);
  const newest = newestWindow(nowSeconds);
  const minute = {
    window: counters.minuteWindow,
    count: counters.minuteCount,
    priorWindow: counters.priorMinuteWindow,
    priorCount: counters.priorMinuteCount,
  };
  const day = {
    window: counters.dayWindow,
    count: counters.dayCount,
    priorWindow: counters.priorDayWindow,
    priorCount: counters.priorDayCount,
  };
  return {
    minute: windowUse(counters.perMinute, minute, windowLengths.minute, starts.minute, newest),
    day: windowUse(counters.perDay, day, windowLengths.day, starts.day, newest),
  };
}

function windowUse(
  limit: number,
  stored: StoredWindow,
  lengthSeconds: number,
  current: number,
  newest: number,
): WindowUse {
  const step = stepOf(stored, current, newest);
  const start = step === 'count' ? stored.window : current;
  const used = usedIn(stored, step, current);
  const remaining = Math.max(0, limit - used);
  return { limit, used, remaining, start, reset: start + lengthSeconds, step, stored };
}

function stepOf({ window }: StoredWindow, current: number, newest: number): WindowStep {
  if (window < current) return 'turn';
  return window <= newest ? 'count' : 'repair';
}

function usedIn(stored: StoredWindow, step: WindowStep, current: number): number {
  if (step === 'turn') return 0;
  if (step === 'count') return stored.count;
  // Requests that a wrong clock counted were admitted, and so were those in the window it replaced.
  return stored.count + (stored.priorWindow === current ? stored.priorCount : 0);
}
