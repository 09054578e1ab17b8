import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { UnauthorizedError } from '../../../lambdas/contract/errors.ts';
import type { Decision } from '../../../lambdas/keys/decision.ts';
import type { KeyAddress } from '../../../lambdas/keys/owner-updates.ts';
import { clockToleranceSeconds } from '../../../lambdas/keys/windows.ts';
import { captureLinesOfTests } from '../../helpers/captured-lines.ts';
import {
  address,
  keyId,
  type Overrides,
  ownerHash,
  ownerId,
  ownerItem,
} from '../../helpers/dynamodb/key-items.ts';
import {
  banSeconds,
  LimitedOwner,
  minute,
  nextDay,
  plansOfTests,
  startSeconds,
  tolerated,
  used,
} from './limited-owner.ts';

const untilDay = nextDay - startSeconds;
const codeOf = ({ rejection }: Decision) => rejection?.code ?? 'admitted';
const unauthorized = { result: new UnauthorizedError(), reads: 1, writes: 0 };

describe('a request within the limits', () => {
  it('costs one write for a cached key, and counts in both windows', async () => {
    const owner = new LimitedOwner(used(6, 29));
    await owner.decide();
    owner.nowMs++;

    const cost = await owner.cost(() => owner.decide());

    // The seconds are rounded up.
    expect(cost).toEqual({
      result: {
        ownerId,
        keyId,
        plan: 'free',
        limit: 60,
        remaining: 52,
        reset: minute + 60,
        rateLimitPolicy: '"minute";q=60;w=60, "day";q=1000;w=86400',
        rateLimit: `"minute";r=52;t=40, "day";r=969;t=${nextDay - minute - 20}`,
        // This value is for API Gateway, which uses it if its own quota of the day is used up.
        retryAfterSeconds: nextDay - minute - 20,
      },
      reads: 0,
      writes: 1,
    });
    expect(owner.numbers).toMatchObject({ minuteCount: 8, dayCount: 31 });
  });

  it('starts both windows of a new owner with one write, and records the use of the key', async () => {
    const owner = new LimitedOwner();

    const { result, writes } = await owner.cost(() => owner.decide());

    expect(result).toMatchObject({ limit: 60, remaining: 59, reset: minute + 60 });
    expect(writes).toBe(1);
    expect(owner.numbers).toMatchObject({ ...used(1, 1), usedAt: minute });
  });

  it('costs two writes if another environment has already started the minute', async () => {
    const owner = new LimitedOwner(used(7, 7));
    const other = owner.environment();
    await owner.decide();
    await other.decide(address);
    owner.wait(60);
    await owner.decide();

    const cost = await owner.cost(() => other.decide(address));

    expect(cost).toMatchObject({ result: { remaining: 58 }, reads: 0, writes: 2 });
  });
});

describe('R22: the headers', () => {
  it.each([
    ['the minute if both have equally many left', used(50, 990), 60, 9, minute + 60],
    ['the day if only the day is used up', used(10, 1_000), 1_000, 0, nextDay],
    ['0 left, not fewer, after a change to a smaller plan', used(200, 200), 60, 0, minute + 60],
  ])('R23, I21: describe %s', async (_name, uses, limit, remaining, reset) => {
    const owner = new LimitedOwner(uses);

    expect(await owner.decide()).toMatchObject({ limit, remaining, reset });
  });

  it.each([
    ['of an admission', used(1, 60), 5, 'r=58;t=30'],
    ['of a rejection', used(60, 60), 5, 'r=0;t=30'],
    ['of an admission after the end of its window', used(1, 60), 30, 'r=58;t=0'],
  ])('count the seconds from the response %s', async (_name, uses, delaySeconds, expected) => {
    const owner = new LimitedOwner(uses);
    const environment = owner.environment(async (command) => {
      const answered = await owner.send(command);
      owner.wait(delaySeconds);
      return answered;
    });

    const { rateLimit } = await environment.decide(address);

    expect(rateLimit).toContain(`"minute";${expected}, `);
  });
});

describe('a rejection', () => {
  it.each([
    ['the minute is used up', used(60, 60), 'rate_limit_exceeded', '60 requests per minute', 40],
    ['the day is used up', used(10, 1_000), 'quota_exceeded', '1000 requests per day', untilDay],
    ['both are used up', used(60, 1_000), 'quota_exceeded', '1000 requests per day', untilDay],
  ])('R24, R25: follows when %s', async (_name, uses, code, limit, seconds) => {
    const owner = new LimitedOwner(uses);

    const { rejection, retryAfterSeconds } = await owner.decide();

    const message = `The limit of ${limit} is used up. Retry after ${seconds} seconds.`;
    expect(rejection).toEqual({ code, message });
    expect(retryAfterSeconds).toBe(seconds);
  });

  it('does not count against the limits, and costs one write, which counts the rejection', async () => {
    const owner = new LimitedOwner(used(60, 60));

    const first = await owner.cost(() => owner.decide());
    const second = await owner.cost(() => owner.decide());

    expect(first).toMatchObject({ reads: 1, writes: 1 });
    expect(second).toMatchObject({ reads: 0, writes: 1 });
    const rejections = { rejectionWindow: minute, rejectionCount: 2 };
    expect(owner.numbers).toMatchObject({ ...used(60, 60), ...rejections });
  });

  it('R26: is tolerated as often as the plan says, and the next rejection starts a ban, during which a request costs a read', async () => {
    const owner = new LimitedOwner(used(60, 60));

    const decisions = await owner.decideInTurn(tolerated);
    const before = owner.numbers;
    const banned = await owner.decide();

    expect(decisions.map(codeOf)).toEqual(Array(tolerated).fill('rate_limit_exceeded'));
    expect(before).toMatchObject({ rejectionCount: tolerated });
    expect(before.bannedUntil).toBeUndefined();
    const bannedUntil = startSeconds + banSeconds;
    const rejection = { code: 'api_key_banned' };
    expect(banned).toMatchObject({
      ...{ limit: 60, remaining: 0, reset: bannedUntil, retryAfterSeconds: banSeconds },
      rateLimitPolicy: '"minute";q=60;w=60, "day";q=1000;w=86400',
      rateLimit: `"minute";r=0;t=${banSeconds}, "day";r=940;t=${nextDay - startSeconds}`,
      isBanStart: true,
      rejection,
    });
    expect(owner.numbers).toMatchObject({ bannedUntil });
    const { result, reads, writes } = await owner.cost(() => owner.decide());
    expect({ reads, writes }).toEqual({ reads: 1, writes: 0 });
    expect(result).toMatchObject({ rejection });
    expect((result as Decision).isBanStart).toBeFalsy();
  });

  it.each([
    ['of the previous minute', minute - 60, minute, 1],
    ['of the last minute within the tolerance', startSeconds + 300, startSeconds + 300, tolerated],
    ['of a minute that only a wrong clock can have started', startSeconds + 301, minute, 1],
  ])('R26: continues or restarts a count %s', async (...given) => {
    const [, rejectionWindow, window, count] = given;
    const rejections = { rejectionWindow, rejectionCount: tolerated - 1 };
    const owner = new LimitedOwner({ ...used(60, 60), ...rejections });

    await owner.decide();

    expect(owner.numbers).toMatchObject({ rejectionWindow: window, rejectionCount: count });
  });
});

describe('the limits of an owner', () => {
  const ownLimits = { plan: 'enterprise', perMinute: 500, perDay: 20_000 };

  it.each([
    ["the plan's", { plan: 'pro' }, 300, 10_000],
    [
      'the limits of the plan, not of a former plan',
      { plan: 'pro', perMinute: 9, perDay: 9 },
      300,
      10_000,
    ],
    ['its own', ownLimits, 500, 20_000],
    ["the plan's maximum without its own", { plan: 'enterprise' }, 1_000, 100_000],
    [
      "the plan's maximum if that is smaller",
      { ...ownLimits, perMinute: 2_000, perDay: 200_000 },
      1_000,
      100_000,
    ],
  ])('are %s', async (_name, overrides, perMinute, perDay) => {
    const owner = new LimitedOwner({ ...used(perMinute - 1, 5), ...overrides });

    const decisions = await owner.decideInTurn(2);

    expect(decisions.map(codeOf)).toEqual(['admitted', 'rate_limit_exceeded']);
    expect(decisions[0]!.rateLimitPolicy).toBe(
      `"minute";q=${perMinute};w=60, "day";q=${perDay};w=86400`,
    );
  });

  it.each([
    ['within both numbers', used(3, 3), 'admitted'],
    ['above the old number', used(60, 60), 'admitted'],
    ['above the new number', used(100, 100), 'rate_limit_exceeded'],
    ['of a banned key', { ...used(3, 3), bannedUntil: startSeconds + 200 }, 'api_key_banned'],
  ])('have the new number from the first request after a deployment: %s', async (...given) => {
    const [, state, code] = given;
    const owner = new LimitedOwner(state);
    await owner.decide();
    owner.item = ownerItem(state);
    const { free, ...others } = plansOfTests;
    const deployed = owner.environment(undefined, { free: { ...free, perMinute: 100 }, ...others });

    const decision = await deployed.decide(address);

    expect(codeOf(decision)).toBe(code);
    expect(decision.rateLimitPolicy).toContain('"minute";q=100;');
  });
});

describe('a plan that the version does not know', () => {
  const captured = captureLinesOfTests();

  it.each(['removed', 'constructor'])(
    'has the limits of the smallest plan, never bans a key, and is logged once: %s',
    async (plan) => {
      const rejected = { rejectionWindow: minute, rejectionCount: 1e9 };
      const owner = new LimitedOwner({ ...used(4, 4), ...rejected, plan });

      const decisions = await owner.decideInTurn(10);

      expect(decisions.map(codeOf)).toEqual(['admitted', ...Array(9).fill('rate_limit_exceeded')]);
      expect(decisions[0]).toMatchObject({ plan, limit: 5 });
      expect(owner.numbers).toMatchObject({ rejectionCount: 1e9 + 9 });
      expect(captured.lines()).toMatchObject([
        {
          level: 'ERROR',
          message: 'A plan is unknown',
          error: { message: expect.stringContaining(plan) },
        },
      ]);
    },
  );
});

describe('R18: a key that is not valid', () => {
  it.each<[string, Overrides, KeyAddress?]>([
    ['of a suspended owner', { ...used(3, 3), status: 'suspended' }],
    ['of an owner without a status', { status: undefined }],
    ['invented by a former client of the owner', used(3, 3), { ownerHash, tokenHash: 'none' }],
  ])('costs a read and no write each time: a key %s', async (_name, overrides, key = address) => {
    const owner = new LimitedOwner(overrides);
    const before = owner.item;

    for (let request = 0; request < 2; request++) {
      expect(await owner.cost(() => owner.decide(key))).toEqual(unauthorized);
    }
    expect(owner.item).toEqual(before);
  });

  it('is refused from the second in which it expires', async () => {
    const owner = new LimitedOwner({ ...used(3, 3), expiresAt: startSeconds + 1 });
    const served = await owner.decide();
    owner.wait(1);

    expect(codeOf(served)).toBe('admitted');
    expect(await owner.cost(() => owner.decide())).toEqual(unauthorized);
  });
});

describe('the end of a ban', () => {
  const longest = startSeconds + banSeconds + clockToleranceSeconds;

  it.each([
    ['counts if a clock within the tolerance can have written it', longest, 'api_key_banned'],
    ['is removed by the next admission if only a wrong clock can', longest + 1, 'admitted'],
  ])('%s', async (_name, bannedUntil, code) => {
    const owner = new LimitedOwner({ ...used(3, 3), bannedUntil });

    expect(codeOf(await owner.decide())).toBe(code);
    expect('bannedUntil' in owner.numbers).toBe(code === 'api_key_banned');
  });
});

it('The limiter gives up after six writes if the item makes every condition fail', async () => {
  // A count that is a string is neither less than a limit nor at least as large.
  const owner = new LimitedOwner({ ...used(3, 3), minuteCount: 'three' });

  const { result, writes } = await owner.cost(() => owner.decide());

  expect(String(result)).toContain('changed with every attempt');
  expect(writes).toBe(6);
});

describe('R25: Retry-After', () => {
  const use = fc.record({
    minuteAge: fc.constantFrom(-240, -60, 0, 60, 3_600),
    minuteCount: fc.integer({ min: 0, max: 6 }),
    dayAge: fc.constantFrom(0, 86_400),
    dayCount: fc.integer({ min: 0, max: 12 }),
    rejectionAge: fc.constantFrom(0, 60),
    rejectionCount: fc.integer({ min: 0, max: tolerated + 1 }),
    bannedForSeconds: fc.option(fc.integer({ min: -100, max: 1_000 }), { nil: undefined }),
    nowSeconds: fc.integer({ min: startSeconds, max: nextDay }),
    milliseconds: fc.integer({ min: 0, max: 999 }),
  });
  /** A rejection that the plan does not tolerate, and that begins a ban in place of a void ban. */
  const rejectedDuringVoidBan = {
    minuteAge: -240,
    minuteCount: 5,
    dayAge: 0,
    dayCount: 0,
    rejectionAge: 0,
    rejectionCount: tolerated + 1,
    bannedForSeconds: 601,
    nowSeconds: minute,
    milliseconds: 0,
  } as const;

  it('is the shortest sufficient wait, from any state of a key', async () => {
    await fc.assert(
      fc.asyncProperty(use, async ({ nowSeconds, milliseconds, ...state }) => {
        const { bannedForSeconds } = state;
        const owner = new LimitedOwner({
          plan: 'tiny',
          minuteWindow: nowSeconds - (nowSeconds % 60) - state.minuteAge,
          minuteCount: state.minuteCount,
          dayWindow: nowSeconds - (nowSeconds % 86_400) - state.dayAge,
          dayCount: state.dayCount,
          rejectionWindow: nowSeconds - (nowSeconds % 60) - state.rejectionAge,
          rejectionCount: state.rejectionCount,
          bannedUntil: bannedForSeconds === undefined ? undefined : nowSeconds + bannedForSeconds,
        });
        const startMs = nowSeconds * 1_000 + milliseconds;
        const decideAfter = (seconds: number) => {
          owner.nowMs = startMs + seconds * 1_000;
          return owner.decide();
        };

        const first = await decideAfter(0);
        const afterRejection = owner.item;
        const wait = first.retryAfterSeconds;

        expect(String(wait)).toMatch(/^[1-9]\d*$/);
        if (!first.rejection) return;
        if (wait > 1) expect((await decideAfter(wait - 1)).rejection).toBeDefined();
        owner.item = afterRejection;
        expect((await decideAfter(wait)).rejection).toBeUndefined();
      }),
      { numRuns: 300, examples: [[rejectedDuringVoidBan]] },
    );
  });
});
