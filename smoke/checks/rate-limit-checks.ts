import type { TextAnswer } from '../stage/http-client.ts';
import { longestWaitSeconds } from '../stage/preflight.ts';
import { codeOf, rateLimitOf, type Stage, serverSeconds, shownRateLimit } from '../stage/stage.ts';
import { absentOrderId } from './cancel-checks.ts';
import { type Check, CheckSkipped, checksOf, combineDifferences } from './check.ts';

// This is enough for a Business key. With more requests the check would be a load test.
const mostRequests = 2_000;
const requestsAtOnce = 10;
const attempts = 3;

/** Checks that each admitted request is counted. */
export const countingChecks = checksOf('Rate limits', {
  'lowers Remaining by exactly one per admitted request': expectCountdown,
});

/** Checks that use up the limit and compare the answers beyond it. */
export function exhaustionChecks(isWaitingAllowed: boolean) {
  /** The end of the exhausted window in Unix seconds; 0 while no window is exhausted. */
  let exhaustedUntil = 0;
  const whileExhausted = (run: Check['run']) => async (stage: Stage) => {
    if (exhaustedUntil === 0) throw new CheckSkipped('the limit was not reached');
    return run(stage);
  };
  return checksOf('Rate limits', {
    'admits exactly what Remaining promised, then answers 429': async (stage) => {
      const { differences, reset } = await expectExhaustion(stage);
      exhaustedUntil = reset;
      return differences;
    },
    'answers 429 on every operation': whileExhausted((stage) =>
      expectLimitedEverywhere(stage, exhaustedUntil),
    ),
    ...(isWaitingAllowed
      ? { 'serves a client that waited for Retry-After': whileExhausted(expectService) }
      : {}),
  });
}

async function expectCountdown(stage: Stage): Promise<string[]> {
  let differences: string[] = [];
  for (let attempt = 0; attempt < attempts; attempt++) {
    const first = await stage.call('getPet');
    const second = await stage.call('getPet');
    const [before, after] = [rateLimitOf(first), rateLimitOf(second)];
    if (after.remaining === before.remaining - 1) return [];
    const shown = [first, second].map((answer) => shownRateLimit(answer, 'remaining'));
    differences = [`x-ratelimit-remaining went from ${shown[0]} to ${shown[1]}`];
    // A new window may have started, or the headers may now describe the other window.
    if (shownRateLimit(first, 'reset') === shownRateLimit(second, 'reset')) return differences;
  }
  return differences;
}

interface Exhaustion {
  readonly differences: string[];
  /** The end of the exhausted window in Unix seconds; 0 if none is exhausted. */
  readonly reset: number;
}

async function expectExhaustion(stage: Stage): Promise<Exhaustion> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { remaining, reset } = rateLimitOf(await stage.call('getPet'));
    if (Number.isNaN(remaining + reset)) {
      throw new CheckSkipped('the stage does not say how many requests are left');
    }
    if (remaining > mostRequests) {
      throw new CheckSkipped(`the key has ${remaining} requests left: use one of the Free plan`);
    }
    const exhaustion = await exhaust(stage, remaining, reset);
    if (exhaustion !== undefined) return exhaustion;
  }
  const difference = `the window ended before the limit was reached, ${attempts} times: is the stage slow?`;
  return { differences: [difference], reset: 0 };
}

/** Sends requests until one is rejected; undefined if the window ended before that. */
async function exhaust(
  stage: Stage,
  remaining: number,
  reset: number,
): Promise<Exhaustion | undefined> {
  let admitted = 0;
  while (admitted <= remaining) {
    const answers = await callAtOnce(stage);
    const limited = answers.filter(({ status }) => status === 429);
    const others = answers.filter(({ status }) => status !== 429);
    if (others.some((answer) => rateLimitOf(answer).reset !== reset)) return undefined;
    admitted += others.length;
    if (limited.length > 0) {
      const isExact = admitted === remaining;
      const differences = [
        ...(isExact ? [] : [`admitted ${admitted}, Remaining was ${remaining}`]),
        ...limited.flatMap((answer) => limitedDifferences(stage, 'getPet', answer)),
      ];
      return { differences, reset };
    }
  }
  const difference = `admitted ${admitted} and still no 429, Remaining was ${remaining}`;
  return { differences: [difference], reset: 0 };
}

function callAtOnce(stage: Stage): Promise<TextAnswer[]> {
  return Promise.all(Array.from({ length: requestsAtOnce }, () => stage.call('getPet')));
}

async function expectLimitedEverywhere(stage: Stage, until: number): Promise<string[]> {
  const found: [string, string[]][] = [];
  for (const { operationId } of stage.contract.operations()) {
    const answer = await stage.call(operationId, { orderId: absentOrderId() });
    if (serverSeconds(answer) >= until) throw new CheckSkipped('the window ended meanwhile');
    found.push([operationId, limitedDifferences(stage, operationId, answer)]);
  }
  return combineDifferences(found);
}

function limitedDifferences(stage: Stage, operationId: string, answer: TextAnswer): string[] {
  const { remaining, reset } = rateLimitOf(answer);
  const shownRetryAfter = answer.headers.get('retry-after')?.join();
  const retryAfter = Number(shownRetryAfter ?? 0);
  const wait = reset - serverSeconds(answer);
  // Both values are rounded to seconds, and the `Date` is read at another time than the limiter's.
  const isTrue = codeOf(answer) === 'rate_limit_exceeded' ? Math.abs(retryAfter - wait) <= 2 : true;
  return [
    ...stage.compare(operationId, answer, { status: 429 }),
    ...(remaining === 0
      ? []
      : [`x-ratelimit-remaining is ${shownRateLimit(answer, 'remaining')} on a 429`]),
    // The comparison with the contract reports a missing header.
    ...(isTrue || shownRetryAfter === undefined || Number.isNaN(wait)
      ? []
      : [`retry-after is ${shownRetryAfter}, the window ends in ${wait} seconds`]),
    ...(answer.text.includes(shownRetryAfter ?? '')
      ? []
      : ['the message does not say how long to wait']),
  ];
}

async function expectService(stage: Stage): Promise<string[]> {
  const limited = await stage.call('getPet');
  const retryAfter = Number(limited.headers.get('retry-after')?.[0] ?? 0) || 1;
  if (retryAfter > longestWaitSeconds) {
    throw new CheckSkipped(`the stage wants ${retryAfter} seconds to be waited for`);
  }
  await stage.clock.sleep(retryAfter * 1_000);
  return stage.expect('getPet', {}, { status: 410, code: 'gone' });
}
