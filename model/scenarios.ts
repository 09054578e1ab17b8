import { historyOf } from './history.ts';
import {
  dayOf,
  type Environment,
  forever,
  type Item,
  type Key,
  minuteTicks,
  never,
  type Operation,
  type State,
  type Tick,
  type Window,
} from './state.ts';

/** The number of requests and lost answers in an exploration, which bounds the state space. */
interface Bounds {
  requests: number;
  losses: number;
}

/** The bounds for `npm test`, which take a few seconds. */
export const quick: Bounds = { requests: 2, losses: 1 };
/** The bounds for `npm run model`, which take a minute or two. */
export const thorough: Bounds = { requests: 3, losses: 2 };

const unused: Window = { start: never, count: 0, priorStart: never, priorCount: 0 };
const issued: Key = {
  expiresAt: forever,
  bannedUntil: never,
  bannedBy: 0,
  rejectionsStart: never,
  rejections: 0,
};
const limits = { minute: 2, day: 3 };
const owner: Item = { isActive: true, limits, minute: unused, day: unused, keys: [issued, issued] };
const today = dayOf(0);
const full: Item = {
  ...owner,
  minute: { ...unused, start: 0, count: 2 },
  day: { ...unused, start: today, count: 2 },
};
/** The start of a void window or the end of a void ban, an hour ahead. */
const far: Tick = 60 * minuteTicks;

/** The initial states by their descriptions. Each begins a minute before midnight. */
export const scenarios: Readonly<Record<string, (bounds: Bounds) => State>> = {
  'two keys in two environments whose clocks differ': (bounds) => begin(owner, [0, 1], bounds),
  'clocks that are minutes apart': (bounds) => begin(owner, [-3, 3], bounds),
  'rejections and bans': (bounds) => begin(oneKey(full), [0, 0], bounds, ['unban']),
  'an operator changes the plan': (bounds) =>
    begin(oneKey(full), [0, 1], bounds, ['raise', 'lower']),
  'an operator withdraws keys': (bounds) =>
    begin(oneKey(owner), [0, 0], bounds, ['revoke', 'suspend', 'resume']),
  'an operator replaces a key that is banned': (bounds) =>
    begin({ ...full, keys: [banned(2), undefined] }, [0, 1], bounds, ['rotate', 'unban']),
  'windows that no right clock can have begun': (bounds) =>
    begin(
      {
        ...oneKey(owner),
        limits: { minute: 3, day: 4 },
        minute: { start: far, count: 1, priorStart: 0, priorCount: 2 },
        day: { start: far, count: 1, priorStart: today, priorCount: 1 },
      },
      [0, 1],
      bounds,
      ['raise'],
    ),
  'full windows and a ban that no right clock can have begun': (bounds) =>
    begin(
      {
        ...oneKey(owner),
        minute: { start: far, count: 2, priorStart: 0, priorCount: 1 },
        keys: [banned(far)],
      },
      [0, 1],
      bounds,
    ),
};

function begin(
  item: Item,
  skews: Tick[],
  { requests, losses }: Bounds,
  operations: Operation[] = [],
): State {
  return {
    now: 0,
    item,
    environments: skews.map((skew, index) => environment(index + 1, skew, item.keys.length)),
    requestsLeft: requests,
    lossesLeft: losses,
    operationsLeft: operations,
    history: historyOf(item),
  };
}

function environment(name: number, skew: Tick, keys: number): Environment {
  const cache = Array.from({ length: keys }, () => undefined);
  return { name, skew, cache, command: undefined, banCount: 0 };
}

function oneKey(item: Item): Item {
  return { ...item, keys: [issued] };
}

function banned(until: Tick): Key {
  return { ...issued, bannedUntil: until, bannedBy: 1, rejectionsStart: 0, rejections: 2 };
}
