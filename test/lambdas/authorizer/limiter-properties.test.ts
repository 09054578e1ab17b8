import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Decision } from '../../../lambdas/authorizer/decision.ts';
import { Limiter } from '../../../lambdas/authorizer/limiter.ts';
import { UnauthorizedError } from '../../../lambdas/shared/errors.ts';
import type { Item } from '../../helpers/dynamodb/expressions.ts';
import { type Command, InMemoryTable } from '../../helpers/dynamodb/in-memory-table.ts';
import { address, ownerHash, ownerItem } from '../../helpers/dynamodb/key-items.ts';
import { keysOfOwner } from '../../helpers/dynamodb/limited-owner.ts';

// Twenty seconds before midnight UTC, so that both windows end during a test.
const startMs = Date.UTC(2026, 10, 20, 23, 59, 40);
const tolerated = 4;
const banSeconds = 90;
const banRules = { free: { toleratedRejectionsPerMinute: tolerated, banSeconds } };
const keys = keysOfOwner(3);
const environments = 3;

interface Request {
  kind: 'request';
  environment: number;
  key: number;
  /** Milliseconds after the start. With the skew, two clocks differ by less than the tolerance. */
  sentMs: number;
  skewMs: number;
  /** Whether the first response to each write is lost, so that the SDK repeats it. */
  isRepeated: boolean;
}

type Operation = 'raise' | 'lower' | 'revoke' | 'rotate' | 'unban' | 'suspend' | 'resume';

interface Change {
  kind: 'change';
  operation: Operation;
  key: number;
}

const request: fc.Arbitrary<Request> = fc.record({
  kind: fc.constant('request' as const),
  environment: fc.integer({ min: 0, max: environments - 1 }),
  key: fc.integer({ min: 0, max: keys.length - 1 }),
  sentMs: fc.integer({ min: 0, max: 140_000 }),
  skewMs: fc.constantFrom(-75_000, -2_000, -1, 0, 0, 0, 1, 2_000, 75_000),
  isRepeated: fc.integer({ min: 0, max: 9 }).map((value) => value === 0),
});

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constant('change' as const),
  operation: fc.constantFrom(
    'raise',
    'lower',
    'revoke',
    'rotate',
    'unban',
    'suspend',
    'resume',
  ) as fc.Arbitrary<Operation>,
  key: fc.integer({ min: 0, max: keys.length - 1 }),
});

const limits = fc.record({
  perMinute: fc.integer({ min: 1, max: 8 }),
  perDay: fc.integer({ min: 1, max: 30 }),
});

const numberOf = (item: Item, name: string) => Number(item[name]?.N);
const isActive = (item: Item) => item.status?.S === 'active';
const hasKey = (item: Item, key: number) => item.keys?.M?.[keys[key]!.tokenHash] !== undefined;
const isServed = (item: Item, key: number) => isActive(item) && hasKey(item, key);

/** The outcome of a request, and the states of the item during the request. */
interface Outcome {
  request: Request;
  decision: Decision | undefined;
  error: unknown;
  meanwhile: Item[];
}

/** An owner's table, and execution environments, each of which handles one request at a time. */
class World {
  readonly table = new InMemoryTable();
  readonly outcomes: Outcome[] = [];
  readonly #scheduler: fc.Scheduler;
  readonly #environments: ((request: Request) => Promise<Decision>)[];

  constructor(scheduler: fc.Scheduler, limit: { perMinute: number; perDay: number }) {
    this.#scheduler = scheduler;
    this.table.put(
      ownerItem(limit, Object.fromEntries(keys.map(({ tokenHash }) => [tokenHash, {}]))),
    );
    this.#environments = Array.from({ length: environments }, () => this.#environment());
  }

  #environment(): (request: Request) => Promise<Decision> {
    let nowMs = 0;
    let isRepeated = false;
    // The table answers at once, and the answer arrives in its turn. The scheduler is not given the
    // command itself, which it would write out for its report in every step.
    const send = async (command: Command) => {
      try {
        return this.table.execute(command);
      } finally {
        await this.#scheduler.schedule(Promise.resolve(), command.constructor.name);
      }
    };
    const client = {
      send: async (command: Command) => {
        if (isRepeated && 'UpdateExpression' in command.input) await send(command).catch(() => {});
        return send(command);
      },
    };
    const limiter = new Limiter({
      client: client as never,
      tableName: 'ApiKeys',
      banRules,
      now: () => nowMs,
    });
    return (request) => {
      nowMs = startMs + request.sentMs + request.skewMs;
      isRepeated = request.isRepeated;
      return limiter.decide(keys[request.key]!);
    };
  }

  async run(events: (Request | Change)[]): Promise<void> {
    const changes = events.filter((event) => event.kind === 'change');
    const operator = this.#inTurn(changes, async (each) => this.#change(each));
    const requests = Array.from({ length: environments }, (_, environment) =>
      this.#inTurn(
        events
          .filter((event) => event.kind === 'request')
          .filter((event) => event.environment === environment),
        (each) => this.#ask(each),
      ),
    );
    await this.#scheduler.waitFor(Promise.all([operator, ...requests]));
  }

  async #inTurn<Event>(events: Event[], run: (event: Event) => Promise<void>): Promise<void> {
    for (const event of events) {
      await this.#scheduler.schedule(Promise.resolve());
      await run(event);
    }
  }

  async #ask(request: Request): Promise<void> {
    const first = this.table.versions.length - 1;
    let decision: Decision | undefined;
    let error: unknown;
    try {
      decision = await this.#environments[request.environment]!(request);
    } catch (thrown) {
      error = thrown;
    }
    const meanwhile = this.table.versions.slice(first);
    this.outcomes.push({ request, decision, error, meanwhile });
  }

  #change({ operation, key }: Change): void {
    const item = this.table.items.get(ownerHash)!;
    this.table.put(changed(item, operation, keys[key]!.tokenHash));
  }
}

function changed(item: Item, operation: Operation, tokenHash: string): Item {
  const entries: Record<string, AttributeValue> = { ...item.keys?.M };
  const entry = entries[tokenHash]?.M;
  switch (operation) {
    case 'raise':
      return { ...item, perMinute: { N: String(numberOf(item, 'perMinute') + 2) } };
    case 'lower':
      return { ...item, perMinute: { N: '1' } };
    case 'suspend':
    case 'resume':
      return { ...item, status: { S: operation === 'suspend' ? 'suspended' : 'active' } };
    case 'revoke':
      delete entries[tokenHash];
      break;
    case 'rotate':
      // The new key inherits the ban of the old one.
      delete entries[tokenHash];
      if (entry) entries[keys.find((key) => key.tokenHash !== tokenHash)!.tokenHash] = { M: entry };
      break;
    case 'unban':
      if (entry) {
        const { id, usedAt } = entry;
        entries[tokenHash] = { M: { id: id!, ...(usedAt && { usedAt }) } };
      }
  }
  return { ...item, keys: { M: entries } };
}

const isAdmission = ({ before, after }: { before: Item; after: Item }) =>
  ['minuteWindow', 'minuteCount'].some((name) => numberOf(before, name) !== numberOf(after, name));

function bansIn(item: Item): Set<string> {
  const entries = Object.values(item.keys?.M ?? {});
  return new Set(entries.flatMap((entry) => entry.M?.bannedBy?.S ?? []));
}

/** The bans that limiters began, by the name of the ban. */
function bansBegun({ changes }: InMemoryTable): string[] {
  return changes.flatMap(({ before, after }) => {
    const earlier = bansIn(before);
    return [...bansIn(after)].filter((ban) => !earlier.has(ban));
  });
}

function isSorted(values: number[]): boolean {
  return values.every((value, index) => index === 0 || value >= values[index - 1]!);
}

/** Checks a property with random requests, clocks and changes by an operator. */
function inEveryWorld(check: (world: World) => void): Promise<void> {
  const event = fc.oneof({ arbitrary: request, weight: 8 }, { arbitrary: change, weight: 1 });
  const events = fc.array(event, { minLength: 1, maxLength: 60 });
  return fc.assert(
    fc.asyncProperty(limits, events, fc.scheduler(), async (limit, all, scheduler) => {
      const world = new World(scheduler, limit);
      await world.run(all);
      check(world);
    }),
    { numRuns: 150 },
  );
}

describe('the limiter, whatever the order of steps, the clocks and the operator do,', () => {
  it('R24: admits no more than the limit in any window, and forgets none', async () => {
    await inEveryWorld(({ table }) => {
      const counts = { minute: new Map<number, number>(), day: new Map<number, number>() };
      for (const { before, after } of table.changes.filter(isAdmission)) {
        for (const name of ['minute', 'day'] as const) {
          const window = numberOf(after, `${name}Window`);
          const count = (counts[name].get(window) ?? 0) + 1;
          counts[name].set(window, count);
          expect(numberOf(after, `${name}Count`)).toBe(count);
          const limit = numberOf(before, name === 'minute' ? 'perMinute' : 'perDay');
          expect(count).toBeLessThanOrEqual(limit);
        }
      }
    });
  });

  it('never moves a window back', async () => {
    await inEveryWorld(({ table }) => {
      for (const window of ['minuteWindow', 'dayWindow']) {
        expect(isSorted(table.versions.map((item) => numberOf(item, window)))).toBe(true);
      }
    });
  });

  it('admits nobody who was not counted', async () => {
    await inEveryWorld(({ table, outcomes }) => {
      const admitted = outcomes.filter(({ decision }) => decision && !decision.rejection);
      const repeated = outcomes.filter(({ request }) => request.isRepeated);
      const counted = table.changes.filter(isAdmission).length;
      expect(counted).toBeGreaterThanOrEqual(admitted.length);
      expect(counted).toBeLessThanOrEqual(admitted.length + 4 * repeated.length);
    });
  });

  it('refuses nobody while both windows have something left, unless for a ban', async () => {
    await inEveryWorld(({ outcomes }) => {
      for (const { request, decision, meanwhile } of outcomes) {
        if (!decision?.rejection || decision.rejection.code === 'api_key_banned') continue;
        const nowSeconds = Math.floor((startMs + request.sentMs + request.skewMs) / 1_000);
        expect(meanwhile.some((item) => isFull(item, nowSeconds))).toBe(true);
      }
    });
  });

  it('R18: refuses a key from the moment on that it is withdrawn', async () => {
    await inEveryWorld(({ outcomes }) => {
      for (const { request, decision, error, meanwhile } of outcomes) {
        if (meanwhile.every((item) => !isServed(item, request.key))) {
          expect(decision).toBeUndefined();
        }
        if (meanwhile.every((item) => isServed(item, request.key))) {
          expect(error).toBeUndefined();
        }
        if (error) expect(error).toBeInstanceOf(UnauthorizedError);
      }
    });
  });

  it('R26: begins each ban once, and none before more than tolerated', async () => {
    await inEveryWorld(({ table, outcomes }) => {
      const begun = bansBegun(table);
      const reported = outcomes.filter(({ decision }) => decision?.isBanStart);
      const refused = outcomes.filter(({ decision }) => decision?.rejection);
      const repeated = refused.filter(({ request }) => request.isRepeated);
      expect(new Set(begun).size).toBe(begun.length);
      expect(reported).toHaveLength(begun.length);
      expect(begun.length * (tolerated + 1)).toBeLessThanOrEqual(refused.length + repeated.length);
    });
  });
});

function isFull(item: Item, nowSeconds: number): boolean {
  const minute = nowSeconds - (nowSeconds % 60);
  const day = nowSeconds - (nowSeconds % 86_400);
  return (
    (numberOf(item, 'minuteWindow') >= minute &&
      numberOf(item, 'minuteCount') >= numberOf(item, 'perMinute')) ||
    (numberOf(item, 'dayWindow') >= day && numberOf(item, 'dayCount') >= numberOf(item, 'perDay'))
  );
}

describe('R25: Retry-After', () => {
  const use = fc.record({
    minuteAge: fc.constantFrom(-4_000, -60, 0, 60, 3_600),
    minuteCount: fc.integer({ min: 0, max: 6 }),
    priorMinuteCount: fc.integer({ min: 0, max: 6 }),
    dayAge: fc.constantFrom(-86_400, 0, 86_400),
    dayCount: fc.integer({ min: 0, max: 12 }),
    rejectionAge: fc.constantFrom(0, 60),
    rejectionCount: fc.integer({ min: 0, max: 4 }),
    bannedForSeconds: fc.option(fc.integer({ min: -100, max: 1_000 }), { nil: undefined }),
    nowMs: fc.integer({ min: startMs, max: startMs + 90_000_000 }),
  });

  it('is enough of a wait, and not a second more than needed, from any state of a key', async () => {
    await fc.assert(
      fc.asyncProperty(use, async (state) => {
        const nowSeconds = Math.floor(state.nowMs / 1_000);
        // A rejection because of a ban writes nothing, so it does not repair a void window.
        const isVoid = state.minuteAge < 0 || state.dayAge < 0;
        const bannedForSeconds = isVoid ? undefined : state.bannedForSeconds;
        const minute = nowSeconds - (nowSeconds % 60);
        const table = new InMemoryTable();
        table.put(
          ownerItem({
            perMinute: 5,
            perDay: 10,
            minuteWindow: minute - state.minuteAge,
            minuteCount: state.minuteCount,
            priorMinuteWindow: minute,
            priorMinuteCount: state.priorMinuteCount,
            dayWindow: nowSeconds - (nowSeconds % 86_400) - state.dayAge,
            dayCount: state.dayCount,
            rejectionWindow: minute - state.rejectionAge,
            rejectionCount: state.rejectionCount,
            bannedUntil: bannedForSeconds === undefined ? undefined : nowSeconds + bannedForSeconds,
          }),
        );
        let nowMs = state.nowMs;
        const client = table as never;
        const limiter = new Limiter({ client, tableName: 'ApiKeys', banRules, now: () => nowMs });
        const decideAfter = (seconds: number) => {
          nowMs = state.nowMs + seconds * 1_000;
          return limiter.decide(address);
        };

        const first = await limiter.decide(address);
        const afterRejection = table.items.get(ownerHash)!;
        const wait = first.retryAfterSeconds;

        expect(Number.isInteger(wait) && wait >= 1).toBe(true);
        if (!first.rejection) return;
        if (wait > 1) expect((await decideAfter(wait - 1)).rejection).toBeDefined();
        table.put(afterRejection);
        expect((await decideAfter(wait)).rejection).toBeUndefined();
      }),
      { numRuns: 1_000 },
    );
  });
});
