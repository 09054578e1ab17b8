/*
 * The state of the model consists of an owner's item with its keys, execution environments that
 * process one request at a time, and the events that the scenario still allows. All of it is
 * immutable. Time is counted in ticks of half a minute, and tick 2 is midnight.
 */

export type Tick = number;

export const minuteTicks = 2;
const dayTicks = 2_880;
export const midnight: Tick = 2;
/** The tolerance between two machines' clocks, five minutes. */
export const toleranceTicks = 10;
export const banTicks = 4;
/** The number of rejections in a minute beyond which a key is banned. */
export const tolerated = 1;
/** Before any tick. It stands for a window, a ban or a rejection that has not happened. */
export const never: Tick = -100_000;
/** After any tick. It is the expiry of a key that does not expire. */
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
  /** The name of the ban, which only the request that began it knows. */
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
  /** A key is undefined if it is revoked or not issued yet. */
  keys: readonly (Key | undefined)[];
}

/** The part of the item that concerns one key. */
export interface Snapshot extends Owner {
  key: Key;
}

/** An environment's cached state of a key, with the rejections that the item does not count yet. */
export interface CachedKey {
  snapshot: Snapshot;
  pendingStart: Tick;
  pending: number;
}

/** A command to the table that is under way. */
export interface Command {
  kind: 'read' | 'admit' | 'reject';
  key: number;
  /** The tick at which the request arrived. */
  since: Tick;
  /** The tick at which it was sent, by the environment's clock. */
  at: Tick;
  /** The state from which a write is made; undefined for a read. */
  expected: Snapshot | undefined;
  attempt: number;
  /** The number of rejections that a rejection's write counts. */
  rejections: number;
  /** The name of the ban that it begins, if any. */
  ban: number | undefined;
  /** Whether an answer was lost, so that the command is sent again. */
  isRepeated: boolean;
  /** Whether the command began the ban when it was executed first. */
  hasBegunBan: boolean;
}

export interface Environment {
  /** A number from 1. */
  name: number;
  /** How far the environment's clock is ahead. */
  skew: Tick;
  cache: readonly (CachedKey | undefined)[];
  command: Command | undefined;
  /** The number of bans that the environment has named. */
  banCount: number;
}

export type Operation = 'raise' | 'lower' | 'suspend' | 'resume' | 'revoke' | 'rotate' | 'unban';

/** What has happened, for the invariants. It does not influence the protocol. */
export interface History {
  /** The admissions in the item's window and in the prior one. */
  admitted: Readonly<Record<WindowName, readonly { start: Tick; count: number }[]>>;
  /** For each key, the requests rejected for a full window, minus those that the item has counted. */
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

/** The snapshot of a key in an item; undefined if there is no such key. */
export function snapshotOf({ keys, ...owner }: Item, key: number): Snapshot | undefined {
  const found = keys[key];
  return found && { ...owner, key: found };
}

function mod(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
