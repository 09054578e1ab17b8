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
 * How far two machines' clocks may differ without a limit being exceeded. Lambda keeps its machines'
 * clocks to within milliseconds; what lies further ahead than this was written by a broken one.
 */
export const clockToleranceSeconds = 300;

const minuteSeconds = 60;
const daySeconds = 86_400;

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
  lengthSeconds: number;
  step: WindowStep;
}

/** Both windows' use. */
export interface WindowUses {
  minute: WindowUse;
  day: WindowUse;
}

/** The start of the UTC minute and of the UTC day that a moment falls into. */
export function windowStarts(nowSeconds: number) {
  return {
    minute: nowSeconds - (nowSeconds % minuteSeconds),
    day: nowSeconds - (nowSeconds % daySeconds),
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
  const { minuteWindow, minuteCount, priorMinuteWindow, priorMinuteCount } = counters;
  const { dayWindow, dayCount, priorDayWindow, priorDayCount } = counters;
  const minutes = [minuteWindow, minuteCount, priorMinuteWindow, priorMinuteCount] as const;
  const days = [dayWindow, dayCount, priorDayWindow, priorDayCount] as const;
  return {
    minute: windowUse(counters.perMinute, minuteSeconds, used(minutes, starts.minute, newest)),
    day: windowUse(counters.perDay, daySeconds, used(days, starts.day, newest)),
  };
}

type Used = Pick<WindowUse, 'step' | 'start' | 'used'>;

function used(
  [window, count, priorWindow, priorCount]: readonly [number, number, number, number],
  start: number,
  newest: number,
): Used {
  if (window < start) return { step: 'turn', start, used: 0 };
  if (window <= newest) return { step: 'count', start: window, used: count };
  // What a broken clock counted was admitted all the same, and so was what it found.
  return { step: 'repair', start, used: count + (priorWindow === start ? priorCount : 0) };
}

function windowUse(limit: number, lengthSeconds: number, use: Used): WindowUse {
  const remaining = Math.max(0, limit - use.used);
  return { ...use, limit, remaining, reset: use.start + lengthSeconds, lengthSeconds };
}
