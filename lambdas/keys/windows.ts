import type { Limits, Plans } from './plan.ts';

/* The windows of an owner's limits, as the top of limiter.ts explains them. */

/**
 * The largest difference between two machines' clocks at which no limit is exceeded. Lambda's clocks differ by
 * milliseconds.
 */
export const clockToleranceSeconds = 300;

/** The length of each window in seconds. */
export const windowLengths = { minute: 60, day: 86_400 } as const;

/** The name of each window's limit. */
export const windowLimits = { minute: 'perMinute', day: 'perDay' } as const;

export type WindowName = keyof typeof windowLengths;

export const windowNames = Object.keys(windowLengths) as readonly WindowName[];

/** An owner's counters. Each window is given by its start in Unix seconds. */
export interface WindowCounters {
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
  isOpen: boolean;
}

export type WindowUses = Record<WindowName, WindowUse>;

/** A range of Unix seconds, with both ends. */
interface Span {
  first: number;
  last: number;
}

/**
 * The present time, and the spans of stored times that are valid now: the starts of open windows, and the ends of
 * bans. A stored time is *over* if it lies before its span, and *void* if it lies after its span. Only a wrong clock
 * can have written a void time, so a void time is treated like a time that is over.
 */
export interface CurrentTimes {
  nowSeconds: number;
  minute: Span;
  day: Span;
  ban: Span;
}

/** The spans that are valid at a given time. The longest ban of the plans limits the span of bans. */
export function currentTimes(nowSeconds: number, plans: Plans): CurrentTimes {
  const { minute, day } = windowStarts(nowSeconds);
  const newest = nowSeconds + clockToleranceSeconds;
  const longestBanSeconds = Math.max(...Object.values(plans).map(({ banSeconds }) => banSeconds));
  return {
    nowSeconds,
    minute: { first: minute, last: newest },
    day: { first: day, last: newest },
    ban: { first: nowSeconds + 1, last: newest + longestBanSeconds },
  };
}

/** Whether a stored time is in the span of valid times. */
export function isCurrent(time: number, { first, last }: Span): boolean {
  return time >= first && time <= last;
}

/** The start of the UTC minute and of the UTC day of a given time. */
export function windowStarts(nowSeconds: number): Record<WindowName, number> {
  return {
    minute: nowSeconds - (nowSeconds % windowLengths.minute),
    day: nowSeconds - (nowSeconds % windowLengths.day),
  };
}

/** An owner's use of both windows at a given time. */
export function windowUses(
  counters: WindowCounters,
  limits: Limits,
  times: CurrentTimes,
): WindowUses {
  const use = (name: WindowName): WindowUse => {
    const limit = limits[windowLimits[name]];
    const stored = counters[`${name}Window`];
    const isOpen = isCurrent(stored, times[name]);
    const window = isOpen ? stored : times[name].first;
    const used = isOpen ? counters[`${name}Count`] : 0;
    const remaining = Math.max(0, limit - used);
    return { limit, used, remaining, reset: window + windowLengths[name], isOpen };
  };
  return { minute: use('minute'), day: use('day') };
}
