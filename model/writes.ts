import type { Rules } from './rules.ts';
import {
  banTicks,
  type Command,
  dayOf,
  type Item,
  type Key,
  minuteOf,
  never,
  type Snapshot,
  type Tick,
  toleranceTicks,
  type Window,
  type WindowName,
  windowNames,
} from './state.ts';

/** What a key's snapshot means for a request at a given tick. */
interface KeyStatus {
  isUsable: boolean;
  isBanned: boolean;
  isBanVoid: boolean;
  isVoid: boolean;
  full: WindowName[];
}

function currentStart(name: WindowName, at: Tick): Tick {
  return name === 'minute' ? minuteOf(at) : dayOf(at);
}

/** The count of the window that is current at a given tick. */
function usedIn(window: Window, name: WindowName, at: Tick, rules: Rules): number {
  const current = currentStart(name, at);
  if (rules.isVoid(window, at)) return rules.carriedOver(window, current);
  return rules.isCurrent(window, current, at) ? window.count : 0;
}

export function keyStatus(snapshot: Snapshot, at: Tick, rules: Rules): KeyStatus {
  const { key, limits } = snapshot;
  const isBanVoid = key.bannedUntil > at + toleranceTicks + banTicks;
  const used = (name: WindowName) => usedIn(snapshot[name], name, at, rules);
  return {
    isUsable: snapshot.isActive && key.expiresAt > at,
    isBanned: rules.isBanRunning(key, at),
    isBanVoid,
    isVoid: isBanVoid || windowNames.some((name) => rules.isVoid(snapshot[name], at)),
    full: windowNames.filter((name) => !rules.hasLeft(used(name), limits[name])),
  };
}

/** The item after an admission; undefined if the write's condition fails. */
export function admitted(item: Item, command: Command, rules: Rules): Item | undefined {
  const { key, at, expected } = command;
  if (!mayWrite(item, key, at, rules)) return undefined;
  const counted = (name: WindowName) => withRequest(item, name, expected!, at, rules);
  const [minute, day] = [counted('minute'), counted('day')];
  if (!minute || !day) return undefined;
  const { isBanVoid } = keyStatus(expected!, at, rules);
  const after = { ...item, minute, day };
  return isBanVoid ? withKey(after, key, { bannedUntil: never }) : after;
}

/** The item after a counted rejection; undefined if the write's condition fails. */
export function rejected(item: Item, command: Command, rules: Rules): Item | undefined {
  const { key, at, expected, ban, rejections } = command;
  const { full, isBanVoid } = keyStatus(expected!, at, rules);
  const isAllowed = ban !== undefined && !rules.checksBan;
  if (!isAllowed && !mayWrite(item, key, at, rules)) return undefined;
  const found = item.keys[key];
  const repaired = full.map((name) => [name, stillFull(item, name, expected!, at, rules)] as const);
  if (!found || repaired.some(([, window]) => !window)) return undefined;
  const isCounting = countsRejections(expected!.key, at);
  if (isCounting !== countsRejections(found, at)) return undefined;
  const before = isCounting ? found.rejections : 0;
  // Only a counter that is already of this minute is compared with the tolerance.
  if (isCounting && rules.isBanDue(before + rejections) !== (ban !== undefined)) return undefined;
  const windows = Object.fromEntries(repaired) as Partial<Record<WindowName, Window>>;
  return withKey({ ...item, ...windows }, key, {
    rejectionsStart: isCounting ? found.rejectionsStart : minuteOf(at),
    rejections: before + rejections,
    ...(isBanVoid && { bannedUntil: never }),
    ...(ban !== undefined && { bannedUntil: at + banTicks, bannedBy: ban }),
  });
}

/** Whether a key's rejections are counted in this minute, or in one that a faster clock started. */
export function countsRejections(key: Key, at: Tick): boolean {
  return key.rejectionsStart >= minuteOf(at) && key.rejectionsStart <= at + toleranceTicks;
}

/** The condition of every write: the key is usable and not banned. */
function mayWrite(item: Item, key: number, at: Tick, rules: Rules): boolean {
  const found = item.keys[key];
  if (rules.checksKey && (!item.isActive || !found || found.expiresAt <= at)) return false;
  return !found || !rules.isBanRunning(found, at);
}

/** A window with one more request, by the step that the expected state requires. */
function withRequest(
  item: Item,
  name: WindowName,
  expected: Snapshot,
  at: Tick,
  rules: Rules,
): Window | undefined {
  const current = currentStart(name, at);
  if (!rules.isVoid(expected[name], at) && expected[name].start < current) {
    const { start, count } = item[name];
    if (!rules.isOver(item[name], current)) return undefined;
    return { start: current, count: 1, priorStart: start, priorCount: count };
  }
  const window = currentWindow(item, name, expected, at, rules);
  if (!window || !rules.hasLeft(window.count, item.limits[name])) return undefined;
  return { ...window, count: window.count + 1 };
}

/** A window that is still full, repaired if it was void; undefined if it is not full. */
function stillFull(
  item: Item,
  name: WindowName,
  expected: Snapshot,
  at: Tick,
  rules: Rules,
): Window | undefined {
  const window = currentWindow(item, name, expected, at, rules);
  return window && !rules.hasLeft(window.count, item.limits[name]) ? window : undefined;
}

/**
 * A window that is current, or one that was expected to be void, repaired. It is undefined if the
 * window has ended, or if a void one has changed.
 */
function currentWindow(
  item: Item,
  name: WindowName,
  expected: Snapshot,
  at: Tick,
  rules: Rules,
): Window | undefined {
  const window = item[name];
  const current = currentStart(name, at);
  if (!rules.isVoid(expected[name], at)) {
    return rules.isCurrent(window, current, at) ? window : undefined;
  }
  if (!rules.isSame(window, expected[name])) return undefined;
  return { ...window, start: current, count: rules.carriedOver(expected[name], current) };
}

function withKey(item: Item, key: number, changes: Partial<Key>): Item {
  const changed = { ...item.keys[key]!, ...changes };
  return { ...item, keys: item.keys.map((each, index) => (index === key ? changed : each)) };
}
