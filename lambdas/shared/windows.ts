/*
 * The two fixed windows of an owner's limits, the UTC minute and the UTC day. An item knows a window
 * by the Unix seconds of its start, and keeps beside the window that it counts in the one before:
 *
 *        ----[ prior )----[ window )--------+---------------------------+-----------> UTC
 *                                          now         now + tolerance
 *
 *   window <  the current one          it is over: the next admission turns to the current one
 *   window up to now + tolerance       requests are counted in it, also when it lies ahead of this
 *                                      machine's clock: another machine's is a little faster, and a
 *                                      window never moves back
 *   window beyond that                 no clock can have been right: it is void, and the next write
 *                                      takes the current window with all that was counted
 */

/**
 * How far two machines' clocks may differ without a limit being exceeded. Each is within a minute of
 * DynamoDB's (`clockOf` in dynamodb.ts sees to it), and Lambda keeps them to within milliseconds;
 * what lies further ahead than this was written by a broken one.
 */
export const clockToleranceSeconds = 300;

/** The windows that every owner has, and how many seconds each lasts. */
export const windowLengths = { minute: 60, day: 86_400 } as const;

export type WindowName = keyof typeof windowLengths;

/** An owner's limits and what has been counted against them. Windows are Unix seconds. */
export interface WindowCounters {
  perMinute: number;
  perDay: number;
  /** The start of the UTC minute that `minuteCount` counts; 0 before the first request. */
  minuteWindow: number;
  minuteCount: number;
  /** The window that was left for this one, and its count as it was then. */
  priorMinuteWindow: number;
  priorMinuteCount: number;
  dayWindow: number;
  dayCount: number;
  priorDayWindow: number;
  priorDayCount: number;
}

/** One of the windows as the item has it. */
export interface SeenWindow {
  window: number;
  count: number;
  priorWindow: number;
  priorCount: number;
}

/** What the next write has to do with a window: see above. */
export type WindowStep = 'count' | 'turn' | 'repair';

/** An owner's use of one window at a moment. Times are Unix seconds. */
export interface WindowUse {
  limit: number;
  used: number;
  remaining: number;
  /** The start of the window that is current for the next request. */
  start: number;
  reset: number;
  step: WindowStep;
  seen: SeenWindow;
}

export type WindowUses = Record<WindowName, WindowUse>;

/** The start of the UTC minute and of the UTC day that a moment falls into. */
export function windowStarts(nowSeconds: number): Record<WindowName, number> {
  return {
    minute: nowSeconds - (nowSeconds % windowLengths.minute),
    day: nowSeconds - (nowSeconds % windowLengths.day),
  };
}

/** The newest start of a window that a machine whose clock is right can have written. */
export function newestWindow(nowSeconds: number): number {
  return nowSeconds + clockToleranceSeconds;
}

/** What is left of both windows at a moment. */
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
  seen: SeenWindow,
  lengthSeconds: number,
  current: number,
  newest: number,
): WindowUse {
  const step = stepOf(seen, current, newest);
  const start = step === 'count' ? seen.window : current;
  const used = usedIn(seen, step, current);
  const remaining = Math.max(0, limit - used);
  return { limit, used, remaining, start, reset: start + lengthSeconds, step, seen };
}

function stepOf({ window }: SeenWindow, current: number, newest: number): WindowStep {
  if (window < current) return 'turn';
  return window <= newest ? 'count' : 'repair';
}

function usedIn(seen: SeenWindow, step: WindowStep, current: number): number {
  if (step === 'turn') return 0;
  if (step === 'count') return seen.count;
  // What a broken clock counted was admitted all the same, and so was what it found.
  return seen.count + (seen.priorWindow === current ? seen.priorCount : 0);
}
