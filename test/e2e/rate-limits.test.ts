import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type PlanName, planNames, plans } from '../../lib/settings/plans.ts';
import type { IssuedKey } from '../../tools/admin/keys/key-draft.ts';
import type { TextAnswer } from '../../tools/smoke/stage/http-client.ts';
import {
  expectError,
  headerOf,
  nextMinute,
  RunningStore,
  rateLimitOf,
  thisMinute,
  today,
} from './running-store.ts';

let store: RunningStore;

beforeAll(async () => {
  store = await RunningStore.start();
  await store.putOrders([{ id: '2', status: 'shipped' }]);
});

afterAll(() => store?.[Symbol.asyncDispose]());

/** Issues a key with a number of remaining requests in its minute. */
async function keyWithLeft(left: number, plan: PlanName = 'free'): Promise<IssuedKey> {
  const key = await store.issue(plan);
  await store.setCounters(key, { minuteCount: plans[plan].perMinute - left });
  return key;
}

const get = ({ apiKey }: IssuedKey) => store.call('GET', '/pets/1', { token: apiKey });

/** An answer with the times before its request and after its arrival. */
interface TimedAnswer {
  readonly answer: TextAnswer;
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
}

async function timedGet(key: IssuedKey): Promise<TimedAnswer> {
  const sentAtMs = Date.now();
  const answer = await get(key);
  return { answer, sentAtMs, receivedAtMs: Date.now() };
}

/**
 * Expects that Retry-After ends at a time, and returns its seconds. They are rounded up and start at a
 * time between the request and its answer.
 */
function expectRetryAfterUntil(moment: number, { answer, ...times }: TimedAnswer): number {
  const seconds = Number(headerOf(answer, 'retry-after'));
  expect(Number.isInteger(seconds)).toBe(true);
  expect(seconds).toBeGreaterThanOrEqual(Math.ceil(moment - times.receivedAtMs / 1_000));
  expect(seconds).toBeLessThanOrEqual(Math.ceil(moment - times.sentAtMs / 1_000));
  return seconds;
}

describe('rate-limit headers', () => {
  it('R23, I20: state as Reset the Unix time at which the minute ends', async () => {
    const key = await store.issue('free');
    await store.endWindows(key);
    const from = nextMinute();

    const { reset } = rateLimitOf(await get(key));

    // A new minute may have started meanwhile.
    expect([from, nextMinute()]).toContain(reset);
  });

  it('count down by exactly one per admitted request, and by none for the others', async () => {
    const key = await store.issue('free');
    const left: number[] = [];

    for (const provoke of [
      () => store.list(key.apiKey),
      () => store.cancel('99', key.apiKey),
      () => store.cancel('007', key.apiKey),
      () => store.cancel('2', key.apiKey),
      () => get(key),
      () => store.call('GET', '/store/orders?limit=1', { token: key.apiKey }),
    ]) {
      left.push(rateLimitOf(await provoke()).remaining);
      await store.list();
      await store.call('GET', '/nothing', { token: key.apiKey });
    }

    expect(left).toEqual([1, 2, 3, 4, 5, 6].map((used) => plans.free.perMinute - used));
  });

  it('I21: describe the day where less is left of it than of the minute', async () => {
    const key = await store.issue('free');
    const { perDay } = plans.free;
    const day = today();
    await store.setCounters(key, { dayWindow: day, dayCount: perDay - 10 });

    const described = rateLimitOf(await get(key));

    expect(described).toEqual({ limit: perDay, remaining: 9, reset: day + 86_400 });
  });
});

describe('a limit', () => {
  it.each(planNames.filter((plan) => !plans[plan].limitsPerOwner))(
    'R20: of the plan %s is that of the table of plans',
    async (plan) => {
      const { perMinute: minute, perDay: day } = plans[plan];
      const [lastOfMinute, lastOfDay] = await Promise.all([store.issue(plan), store.issue(plan)]);
      await store.setCounters(lastOfMinute, { minuteCount: minute - 1 });
      await store.setCounters(lastOfDay, { dayCount: day - 1 });

      const answers = [];
      for (const key of [lastOfMinute, lastOfMinute, lastOfDay, lastOfDay]) {
        answers.push(await get(key));
      }

      expect(answers.map(({ status }) => status)).toEqual([410, 429, 410, 429]);
      expect(answers.map((answer) => rateLimitOf(answer).limit)).toEqual([
        minute,
        minute,
        day,
        day,
      ]);
    },
  );

  it('R21, I26: of the plan enterprise is what the key was given', async () => {
    const key = await store.issue('enterprise', { perMinute: 2, perDay: 3 });
    const statuses = [];
    for (let sent = 0; sent < 3; sent++) statuses.push((await get(key)).status);
    await store.setCounters(key, { minuteCount: 0 });
    statuses.push((await get(key)).status, (await get(key)).status);

    expect(statuses).toEqual([410, 410, 429, 410, 429]);
  });

  it('R25: serves a client that has waited for Retry-After', async () => {
    const key = await keyWithLeft(0);
    await store.setCounters(key, { minuteWindow: thisMinute() });
    const refused = await timedGet(key);
    const { reset } = rateLimitOf(refused.answer);
    // A new minute may have started meanwhile, in which the request is admitted.
    if (refused.answer.status === 429) expectRetryAfterUntil(reset, refused);

    await store.setCounters(key, { minuteWindow: thisMinute() - 60 });

    const served = await get(key);
    expect([served.status, rateLimitOf(served).remaining]).toEqual([410, plans.free.perMinute - 1]);
  });

  it('R24, I23: of the day refuses until the day ends, though the minute has requests left', async () => {
    const key = await store.issue('free');
    const day = today();
    await store.setCounters(key, { dayWindow: day, dayCount: plans.free.perDay });

    const refused = await timedGet(key);

    expectError(refused.answer, 429, 'quota_exceeded');
    expect(rateLimitOf(refused.answer)).toMatchObject({
      limit: plans.free.perDay,
      remaining: 0,
    });
    expectRetryAfterUntil(day + 86_400, refused);
    await store.endWindows(key);
    expect((await get(key)).status).toBe(410);
  });

  it('I24: takes nothing from the allowance for a request that it refuses', async () => {
    const key = await keyWithLeft(0);
    const before = await store.keyItem(key);

    await get(key);

    const after = await store.keyItem(key);
    expect(after).toMatchObject({ minuteCount: before.minuteCount, dayCount: before.dayCount });
    expect(after.rejectionCount).toEqual({ N: '1' });
  });
});

const requestsAtOnce = plans.free.perMinute + 20;

describe(`R24, I31: ${requestsAtOnce} requests at once of a Free owner`, () => {
  it.each([
    ['within one minute', async () => [await store.issue('free')]],
    [
      'as a minute begins, over ten keys',
      async () => {
        const first = await store.issue('free');
        const others = Array.from({ length: 9 }, () => store.issueAnother(first));
        await store.endWindows(first);
        return [first, ...(await Promise.all(others))];
      },
    ],
  ])('are admitted exactly as often as the plan says %s', async (_, issue) => {
    const { perMinute } = plans.free;

    const answers = await withinOneWindow(async () => burst(await issue(), requestsAtOnce));

    const admitted = answers.filter(({ status }) => status !== 429);
    const left = admitted.map((answer) => rateLimitOf(answer).remaining).sort((a, b) => a - b);
    expect(left).toEqual(Array.from({ length: perMinute }, (_unused, index) => index));
    expect(admitted.map(({ status }) => status)).toEqual(new Array(perMinute).fill(410));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(requestsAtOnce - perMinute);
    for (const answer of refused) expectError(answer, 429, 'rate_limit_exceeded');
  });
});

describe('a ban', () => {
  it('R26, I25: follows the rejection beyond those that are tolerated', async () => {
    const { toleratedRejectionsPerMinute, banSeconds } = plans.free;
    const key = await keyWithLeft(0);
    await store.setCounters(key, {
      rejectionWindow: nextMinute(),
      rejectionCount: toleratedRejectionsPerMinute - 1,
    });
    const sentAtMs = Date.now();

    const [first, second] = [await get(key), await get(key)];
    const third = await timedGet(key);

    const codes = [first, second, third.answer].map(({ text }) => JSON.parse(text).code);
    expect(codes).toEqual(['rate_limit_exceeded', 'api_key_banned', 'api_key_banned']);
    const { remaining, reset } = rateLimitOf(third.answer);
    expectError(third.answer, 429, 'api_key_banned');
    expect(remaining).toBe(0);
    expect(reset).toBeGreaterThanOrEqual(Math.floor(sentAtMs / 1_000) + banSeconds);
    expectRetryAfterUntil(reset, third);
  });

  it('R26: refuses a key that has requests left, and ends', async () => {
    const key = await store.issue('free');
    const until = Math.floor(Date.now() / 1_000) + 300;
    await store.setCounters(key, { bannedUntil: until });
    const before = await store.keyItem(key);

    const refused = await timedGet(key);

    expectError(refused.answer, 429, 'api_key_banned');
    expectRetryAfterUntil(until, refused);
    expect(await store.keyItem(key)).toEqual(before);
    await store.setCounters(key, { bannedUntil: until - 301 });
    expect((await get(key)).status).toBe(410);
  });
});

/** Sends requests at once, with each of the keys in turn. */
function burst(keys: IssuedKey[], count: number): Promise<TextAnswer[]> {
  const requests = Array.from({ length: count }, (_, index) => get(keys[index % keys.length]!));
  return Promise.all(requests);
}

/**
 * Runs a scenario. Repeats it if a minute ended meanwhile, because two minutes allow twice as many
 * requests, or if the machine was too busy for the table to answer in time.
 */
async function withinOneWindow(scenario: () => Promise<TextAnswer[]>): Promise<TextAnswer[]> {
  let answers = await scenario();
  for (let attempt = 1; attempt < 4 && !isUndisturbed(answers); attempt++)
    answers = await scenario();
  return answers;
}

function isUndisturbed(answers: readonly TextAnswer[]): boolean {
  const resets = new Set(answers.map((answer) => rateLimitOf(answer).reset));
  return resets.size === 1 && answers.every(({ status }) => status !== 503);
}
