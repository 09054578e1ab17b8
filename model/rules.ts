import { banTicks, type Key, type Tick, toleranceTicks, tolerated, type Window } from './state.ts';

/**
 * The rules of the protocol. Tests break each one on purpose to verify that an invariant detects it.
 */
export interface Rules {
  /** Whether requests are counted in a window, which is neither over nor void. */
  isCurrent(window: Window, current: Tick, at: Tick): boolean;
  /** Whether a window was started by a clock beyond the tolerance. */
  isVoid(window: Window, at: Tick): boolean;
  /** Whether one more request may be counted. */
  hasLeft(count: number, limit: number): boolean;
  /** Whether a write may turn a window to a newer one. */
  isOver(window: Window, current: Tick): boolean;
  /** The count of the current window when a void window takes its place. */
  carriedOver(window: Window, current: Tick): number;
  /** Whether a void window is unchanged since it was read. */
  isSame(window: Window, seen: Window): boolean;
  /** Whether a write requires an existing, unexpired key of an active owner. */
  checksKey: boolean;
  /** Whether a key is banned. */
  isBanRunning(key: Key, at: Tick): boolean;
  /** Whether a write that begins a ban requires that the key is not banned. */
  checksBan: boolean;
  /** Whether a request whose answer was lost recognises the ban that it began. */
  recognisesOwnBan: boolean;
  /** Whether a number of rejections in a minute leads to a ban. */
  isBanDue(rejections: number): boolean;
  /** Whether a cached full window or ban rejects a request without asking the table. */
  trustsCache: boolean;
  /** How many times a pending rejection is counted with the next one. */
  pendingWeight: number;
}

export const rules: Rules = {
  isCurrent: (window, current, at) =>
    window.start >= current && window.start <= at + toleranceTicks,
  isVoid: (window, at) => window.start > at + toleranceTicks,
  hasLeft: (count, limit) => count < limit,
  isOver: (window, current) => window.start < current,
  carriedOver: (window, current) =>
    window.count + (window.priorStart === current ? window.priorCount : 0),
  isSame: (window, seen) =>
    window.start === seen.start &&
    window.count === seen.count &&
    window.priorStart === seen.priorStart &&
    window.priorCount === seen.priorCount,
  checksKey: true,
  isBanRunning: (key, at) =>
    key.bannedUntil > at && key.bannedUntil <= at + toleranceTicks + banTicks,
  checksBan: true,
  recognisesOwnBan: true,
  isBanDue: (rejections) => rejections > tolerated,
  trustsCache: false,
  pendingWeight: 1,
};
