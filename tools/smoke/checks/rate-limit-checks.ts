import { operations } from '../../../test/contract/contract.ts';
import type { Answer } from '../stage/http-client.ts';
import { headerOf, minuteSecondsOf, rateLimitOf, serverSeconds } from '../stage/rate-limit.ts';
import { CheckFailed, codeOf, type Stage } from '../stage/stage.ts';
import { CheckSkipped, checksOf } from './check.ts';
import { absentOrderId } from './order-checks.ts';

// Enough for a key of the Business plan. More requests would be a load test.
const mostRequests = 2_000;
const requestsAtOnce = 10;
const attempts = 3;

/** Checks that each admitted request is counted. */
export const countingChecks = checksOf('R22, R23, I20, I24: Rate limits', {
  'lowers Remaining by one for each admitted request, and not for others': expectCountdown,
});

/** Checks that use up the limit and compare the answers beyond it. */
export function exhaustionChecks() {
  /** The end of the exhausted window in Unix seconds; 0 while no window is exhausted. */
  let exhaustedUntil = 0;
  return checksOf('R19, R24, I14, I22, I23: Used-up rate limits', {
    'admits exactly what Remaining promised, then answers 429': async (stage) => {
      exhaustedUntil = await expectExhaustion(stage);
    },
    'answers 429 on every operation': async (stage) => {
      if (exhaustedUntil === 0) throw new CheckSkipped('the limit was not reached');
      for (const { operationId } of operations) {
        const answer = await stage.call(operationId, { orderId: absentOrderId() });
        if (serverSeconds(answer) >= exhaustedUntil) {
          throw new CheckSkipped('the window ended during the check');
        }
        compareLimited(stage, operationId, answer);
      }
    },
  });
}

const gone = { status: 410, code: 'gone' };

async function expectCountdown(stage: Stage): Promise<void> {
  let difference = '';
  for (let attempt = 0; attempt < attempts; attempt++) {
    const first = await stage.expect('getPet', {}, gone);
    await stage.call('getPet', { authorization: null });
    await stage.expectUnknown('GET', '/store/unknown');
    const second = await stage.expect('getPet', {}, gone);
    const [before, after] = [rateLimitOf(first), rateLimitOf(second)];
    if (after.reset % 60 !== 0) {
      throw new CheckFailed(`x-ratelimit-reset ${after.reset} is not the end of a minute`);
    }
    if (after.remaining === before.remaining - 1) return;
    difference = `x-ratelimit-remaining went from ${before.remaining} to ${after.remaining}`;
    // If the reset has changed, a new window has started, or the headers now describe the other window: try again.
    if (before.reset === after.reset) break;
  }
  throw new CheckFailed(difference);
}

async function expectExhaustion(stage: Stage): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { remaining, reset } = rateLimitOf(await stage.expect('getPet', {}, gone));
    if (remaining > mostRequests) {
      throw new CheckSkipped(`the key has ${remaining} requests left; use a key of the Free plan`);
    }
    if (await isExhausted(stage, remaining, reset)) return reset;
  }
  throw new CheckFailed(
    `the window ended ${attempts} times before the limit was reached; check whether the stage is slow`,
  );
}

/** Sends more requests than remain. Returns false if the window ended before all were sent. */
async function isExhausted(stage: Stage, remaining: number, reset: number): Promise<boolean> {
  const answers: Answer[] = [];
  while (answers.length <= remaining) {
    const calls = Array.from({ length: requestsAtOnce }, () => stage.call('getPet'));
    answers.push(...(await Promise.all(calls)));
  }
  const admitted = answers.filter(({ status }) => status !== 429);
  if (admitted.some((answer) => rateLimitOf(answer).reset !== reset)) return false;
  for (const answer of answers) {
    if (answer.status === 429) compareLimited(stage, 'getPet', answer);
    else stage.compare('getPet', answer, gone);
  }
  if (admitted.length === remaining) return true;
  throw new CheckFailed(
    `${admitted.length} of ${answers.length} requests were admitted, but Remaining was ${remaining}`,
  );
}

function compareLimited(stage: Stage, operationId: string, answer: Answer): void {
  const { remaining, reset } = rateLimitOf(answer);
  const retryAfter = headerOf(answer, 'retry-after');
  const seconds = minuteSecondsOf(answer);
  const isWrong =
    codeOf(answer) === 'rate_limit_exceeded' &&
    (reset === 0 || Number(retryAfter) !== Math.max(1, seconds));
  stage.compare(operationId, answer, { status: 429 }, [
    ...(remaining === 0 ? [] : [`x-ratelimit-remaining is ${remaining} on a 429`]),
    ...(isWrong ? [`retry-after is ${retryAfter}, the minute ends in ${seconds} seconds`] : []),
    ...(answer.text.includes(` ${retryAfter} second`)
      ? []
      : ['the message does not say how long to wait']),
  ]);
}
