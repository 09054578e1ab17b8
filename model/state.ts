/*
 * The state of the model: one owner with its keys in one item, execution environments that judge
 * requests one at a time, and what is left of the events that a scenario allows. Everything is
 * immutable; time is counted in ticks of half a minute, and tick 2 is midnight.
 */

export type Tick = number;

export const minuteTicks = 2;
export const dayTicks = 2_880;
export const midnight: Tick = 2;
/** The five minutes that two machines' clocks may differ by. */
export const toleranceTicks = 10;
export const banTicks = 4;
/** Rejections in a minute that go unpunished. */
export const tolerated = 1;
/** Before any tick: of a window, a ban or a rejection that there has not been. */
export const never: Tick = -100_000;
/** After any tick: the expiry of a key that has none. */
export const forever: Tick = 100_000;

export type WindowName = 'minute' | 'day';
export const windowNames: readonly WindowName[] = ['minute', 'day'];

export interface Window {
  start: Tick;
  count: number;
  priorStart: Tick;
  priorCount: number;
}

export interface Key {
  expiresAt: Tick;
  bannedUntil: Tick;
  /** The request that began the ban. */
  bannedBy: number;
  rejectionsStart: Tick;
  rejections: number;
}

interface Owner {
  isActive: boolean;
  limits: Readonly<Record<WindowName, number>>;
  minute: Window;
  day: Window;
}

export interface Item extends Owner {
  /** Undefined for a key that is revoked, or not issued yet. */
  keys: readonly (Key | undefined)[];
}

/** The item as far as one key's requests need it. */
export interface Snapshot extends Owner {
  key: Key;
}

/** What an environment remembers of a key. */
export interface Met {
  snapshot: Snapshot;
  pendingStart: Tick;
  pending: number;
}

/** A question that is under way to the table. */
export interface Question {
  kind: 'look' | 'admit' | 'refuse';
  key: number;
  /** When its request arrived. */
  since: Tick;
  /** By the environment's own clock, when it asked. */
  at: Tick;
  /** What it believes; undefined when it looks. */
  belief: Snapshot | undefined;
  attempt: number;
  /** Of a refusal: how many rejections it counts, and the name of the ban that is due. */
  rejections: number;
  ban: number | undefined;
  /** An answer was lost, and the question is sent again. */
  isRepeated: boolean;
  /** The question was carried out once, and began the ban. */
  hasBegunBan: boolean;
}

export interface Environment {
  /** From 1. */
  name: number;
  /** How far its clock is ahead. */
  skew: Tick;
  memory: readonly (Met | undefined)[];
  question: Question | undefined;
  /** How many bans it has named. */
  bansNamed: number;
}

export type Operation = 'raise' | 'lower' | 'suspend' | 'resume' | 'revoke' | 'rotate' | 'unban';

/** What has happened, as the invariants need it, and no part of the protocol. */
export interface History {
  /** Admissions in the item's present window and in the one before it. */
  admitted: Readonly<Record<WindowName, readonly { start: Tick; count: number }[]>>;
  /** By key: requests that were refused for a full window, less those that the item has counted. */
  uncounted: readonly number[];
}

export interface State {
  now: Tick;
  item: Item;
  environments: readonly Environment[];
  requestsLeft: number;
  lossesLeft: number;
  operationsLeft: readonly Operation[];
  history: History;
}

export function minuteOf(tick: Tick): Tick {
  return tick - mod(tick, minuteTicks);
}

export function dayOf(tick: Tick): Tick {
  return tick - mod(tick - midnight, dayTicks);
}

/** The item as a key's request sees it; undefined where there is no such key. */
export function snapshotOf({ keys, ...owner }: Item, key: number): Snapshot | undefined {
  const found = keys[key];
  return found && { ...owner, key: found };
}

function mod(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
