import type { Limits } from './plan.ts';

/* The windows of an owner's limits, as the top of ../authorizer/limiter.ts explains them. */

/**
 * How far two machines' clocks may differ without a limit being exceeded. Lambda's clocks differ by
 * milliseconds, and `clockOf` in ../runtime/dynamodb.ts keeps each within a minute of DynamoDB's clock. A window
 * further ahead than this was therefore started by a wrong clock.
 */
export const clockToleranceSeconds = 300;

/** The length of each window in seconds. */
export const windowLengths = { minute: 60, day: 86_400 } as const;

/** The name of each window's limit. */
export const windowLimits = { minute: 'perMinute', day: 'perDay' } as const;

export type WindowName = keyof typeof windowLengths;

export const windowNames = Object.keys(windowLengths) as readonly WindowName[];

/** An owner's counters. Windows are given by their start in Unix seconds. */
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

/** Whether a window that begins at `window` is open at a given time: it is the current one or ahead. */
export function isOpen(name: WindowName, window: number, nowSeconds: number): boolean {
  return window >= windowStarts(nowSeconds)[name] && window <= newestWindow(nowSeconds);
}

/** An owner's use of both windows at a given time. */
export function windowUses(
  counters: WindowCounters,
  limits: Limits,
  nowSeconds: number,
): WindowUses {
  const use = (name: WindowName): WindowUse => {
    const limit = limits[windowLimits[name]];
    const stored = counters[`${name}Window`];
    const isStoredOpen = isOpen(name, stored, nowSeconds);
    const window = isStoredOpen ? stored : windowStarts(nowSeconds)[name];
    const used = isStoredOpen ? counters[`${name}Count`] : 0;
    return {
      limit,
      used,
      remaining: Math.max(0, limit - used),
      reset: window + windowLengths[name],
      isOpen: isStoredOpen,
    };
  };
  return { minute: use('minute'), day: use('day') };
}
