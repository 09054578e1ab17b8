/** How one key's requests are counted, and what is asked of it. */
export interface HotKeyScenario {
  /** Requests admitted per window, over all items together. */
  limit: number;
  /** Items that the limit is divided among. */
  items: number;
  /** Admissions that an execution environment takes at a time; 1 counts every request. */
  leaseSize: number;
  /** Items that one request may try before it is refused or told to come back. */
  triesPerRequest: number;
  offeredPerSecond: number;
  environments: number;
  windows: number;
  seed: number;
}

export interface HotKeyOutcome {
  offered: number;
  admitted: number;
  /** The most that was admitted within one window. */
  mostInOneWindow: number;
  /** Refused with 429 although the limit was not used up yet. */
  refusedTooEarly: number;
  /** Answered with 503, since every item that was tried was throttled. */
  unavailable: number;
  writesPerRequest: number;
  /** The largest error of `X-RateLimit-Remaining`, as a share of the limit. */
  remainingError: number;
}

type Answer = 'admitted' | 'refused' | 'unavailable';

interface Environment {
  leased: number;
  /** Items that have refused in this window; a count never falls, so they need not be asked again. */
  full: Set<CounterItem>;
}

interface State {
  scenario: HotKeyScenario;
  items: CounterItem[];
  environments: Environment[];
  random: () => number;
  outcome: HotKeyOutcome;
  admittedInWindow: number;
}

const windowSeconds = 60;
const ticksPerSecond = 100;
/** What one partition takes; at this rate each item gets one of its own. */
const writesPerItemAndSecond = 1_000;

/**
 * Plays one very hot key: requests arrive evenly and meet a random execution environment, which
 * counts each of them by a conditional write on a random one of the key's items. An item never
 * counts beyond its share of the limit, and takes no more writes than a DynamoDB partition does.
 */
export function simulateHotKey(scenario: HotKeyScenario): HotKeyOutcome {
  const state = createState(scenario);
  for (let window = 0; window < scenario.windows; window++) playWindow(state);
  const { outcome, items } = state;
  const writes = items.reduce((total, item) => total + item.writes, 0);
  return { ...outcome, writesPerRequest: writes / outcome.offered };
}

function createState(scenario: HotKeyScenario): State {
  const { limit, items, environments } = scenario;
  // The shares add up to the limit exactly.
  const share = (index: number) =>
    Math.floor((limit * (index + 1)) / items) - Math.floor((limit * index) / items);
  return {
    scenario,
    items: Array.from({ length: items }, (_, index) => new CounterItem(share(index))),
    environments: Array.from({ length: environments }, () => ({ leased: 0, full: new Set() })),
    random: createRandom(scenario.seed),
    outcome: {
      offered: 0,
      admitted: 0,
      mostInOneWindow: 0,
      refusedTooEarly: 0,
      unavailable: 0,
      writesPerRequest: 0,
      remainingError: 0,
    },
    admittedInWindow: 0,
  };
}

function playWindow(state: State): void {
  const { items, environments, outcome, scenario } = state;
  for (const item of items) item.startWindow();
  for (const environment of environments)
    Object.assign(environment, { leased: 0, full: new Set() });
  state.admittedInWindow = 0;
  const arrivalsPerTick = scenario.offeredPerSecond / ticksPerSecond;
  for (let tick = 0; tick < windowSeconds * ticksPerSecond; tick++) {
    for (const item of items) item.startTick();
    const arrivals = Math.floor((tick + 1) * arrivalsPerTick) - Math.floor(tick * arrivalsPerTick);
    for (let arrival = 0; arrival < arrivals; arrival++) playRequest(state);
  }
  outcome.mostInOneWindow = Math.max(outcome.mostInOneWindow, state.admittedInWindow);
}

function playRequest(state: State): void {
  const { outcome, environments, scenario } = state;
  const environment = environments[pick(state, environments.length)]!;
  const answer = decide(state, environment);
  outcome.offered++;
  if (answer === 'unavailable') outcome.unavailable++;
  if (answer === 'refused' && state.admittedInWindow < scenario.limit) outcome.refusedTooEarly++;
  if (answer !== 'admitted') return;
  outcome.admitted++;
  state.admittedInWindow++;
}

function decide(state: State, environment: Environment): Answer {
  const { items, scenario } = state;
  if (environment.leased > 0) {
    environment.leased--;
    return 'admitted';
  }
  let isThrottled = false;
  for (let attempt = 0; attempt < scenario.triesPerRequest; attempt++) {
    const open = items.filter((item) => !environment.full.has(item));
    if (open.length === 0) return 'refused';
    const item = open[pick(state, open.length)]!;
    const taken = item.take(scenario.leaseSize);
    if (taken === 'throttled') isThrottled = true;
    else if (taken === 0) environment.full.add(item);
    else {
      environment.leased += taken - 1;
      noteRemaining(state, item);
      return 'admitted';
    }
  }
  return isThrottled ? 'unavailable' : 'refused';
}

/** A client is told what the item that counted it has left, times the number of items. */
function noteRemaining({ items, scenario, outcome, admittedInWindow }: State, item: CounterItem) {
  const left = scenario.limit - (admittedInWindow + 1);
  const error = Math.abs(item.remaining * items.length - left) / scenario.limit;
  outcome.remainingError = Math.max(outcome.remainingError, error);
}

/** One of the items that share a key's limit; `take` is its conditional write. */
class CounterItem {
  writes = 0;
  #count = 0;
  #writesLeft = writesPerItemAndSecond;
  readonly #share: number;

  constructor(share: number) {
    this.#share = share;
  }

  get remaining(): number {
    return this.#share - this.#count;
  }

  startWindow(): void {
    this.#count = 0;
  }

  startTick(): void {
    const refill = writesPerItemAndSecond / ticksPerSecond;
    this.#writesLeft = Math.min(writesPerItemAndSecond, this.#writesLeft + refill);
  }

  /** How many of the wanted admissions it grants; what is left, where it has fewer. */
  take(wanted: number): number | 'throttled' {
    if (this.#writesLeft < 1) return 'throttled';
    // Failing for want of room, the write learns how much there is, and is sent again for that.
    const writes = this.remaining > 0 && this.remaining < wanted ? 2 : 1;
    this.#writesLeft -= writes;
    this.writes += writes;
    const taken = Math.min(wanted, this.remaining);
    this.#count += taken;
    return taken;
  }
}

function pick({ random }: State, count: number): number {
  return Math.floor(random() * count);
}

/** Mulberry32: small, and the same sequence for the same seed everywhere. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
