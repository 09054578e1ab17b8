import { banTicks, type Key, type Tick, toleranceTicks, tolerated, type Window } from './state.ts';

/**
 * The decisions that the protocol rests on, each of them a rule that can be broken on purpose to
 * see which invariant notices.
 */
export interface Rules {
  /** Whether a window is one to count in, rather than one that is over or void. */
  isCurrent(window: Window, current: Tick, at: Tick): boolean;
  /** Whether a window was begun by a clock that cannot have been right. */
  isVoid(window: Window, at: Tick): boolean;
  /** Whether one more request may be counted. */
  hasLeft(count: number, limit: number): boolean;
  /** Whether a write may turn a window to a newer one. */
  isOver(window: Window, current: Tick): boolean;
  /** What the current window has counted already where a void one stands in its place. */
  carriedOver(window: Window, current: Tick): number;
  /** Whether a void window is still the one that was seen. */
  isSame(window: Window, seen: Window): boolean;
  /** Whether a write asks for the key, its expiry and its owner's status. */
  asksForKey: boolean;
  isBanRunning(key: Key, at: Tick): boolean;
  /** Whether a write that begins a ban asks for one that runs. */
  asksForBan: boolean;
  /** Whether a request knows its own ban again when its answer was lost. */
  knowsOwnBan: boolean;
  /** Whether so many rejections in a minute are too many. */
  isBanDue(rejections: number): boolean;
  /** Whether the memory of a full window or of a ban is the answer, rather than a hint. */
  trustsMemory: boolean;
  /** How often a rejection that could not be counted is counted with the next one. */
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
  asksForKey: true,
  isBanRunning: (key, at) =>
    key.bannedUntil > at && key.bannedUntil <= at + toleranceTicks + banTicks,
  asksForBan: true,
  knowsOwnBan: true,
  isBanDue: (rejections) => rejections > tolerated,
  trustsMemory: false,
  pendingWeight: 1,
};
