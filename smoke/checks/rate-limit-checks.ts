import type { TextAnswer } from '../stage/http-client.ts';
import { longestWaitSeconds } from '../stage/preflight.ts';
import { codeOf, rateLimitOf, type Stage, serverSeconds, shownRateLimit } from '../stage/stage.ts';
import { absentOrderId } from './cancel-checks.ts';
import { type Check, CheckSkipped, checksOf, inAnyOf } from './check.ts';

// Enough for a Business key; above that the check would be a load test.
const mostRequests = 2_000;
const requestsAtOnce = 10;
const attempts = 3;

/** What each admitted request does to `Remaining`. */
export const countingChecks = checksOf('Rate limits', {
  'lowers Remaining by exactly one per admitted request': expectCountdown,
});

/** Uses the allowance up, and looks at the answers from there. */
export function exhaustionChecks(isWaitingAllowed: boolean) {
  /** When the used-up window ends, in Unix seconds; 0 until one is used up. */
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
    // Another window may have begun, or have become the one that is described.
    if (shownRateLimit(first, 'reset') === shownRateLimit(second, 'reset')) return differences;
  }
  return differences;
}

interface Exhaustion {
  readonly differences: string[];
  /** When the used-up window ends, in Unix seconds; 0 where none is used up. */
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

/** Undefined where the window ended meanwhile. */
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
  return inAnyOf(found);
}

function limitedDifferences(stage: Stage, operationId: string, answer: TextAnswer): string[] {
  const { remaining, reset } = rateLimitOf(answer);
  const shownRetryAfter = answer.headers.get('retry-after')?.join();
  const retryAfter = Number(shownRetryAfter ?? 0);
  const wait = reset - serverSeconds(answer);
  // Whole seconds on both sides, and the date may have been read before or after the limiter's.
  const isTrue = codeOf(answer) === 'rate_limit_exceeded' ? Math.abs(retryAfter - wait) <= 2 : true;
  return [
    ...stage.compare(operationId, answer, { status: 429 }),
    ...(remaining === 0
      ? []
      : [`x-ratelimit-remaining is ${shownRateLimit(answer, 'remaining')} on a 429`]),
    // A header that is missing is what the contract's own comparison says.
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
