import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../../shared/errors.ts';
import type { TextAnswer } from './http-client.ts';
import { rateLimitOf, type Stage, serverSeconds } from './stage.ts';

/** What all checks together use up, and a few to spare. */
export const neededRequests = 35;

/** A minute's window ends well within this; nobody waits for a day's. */
export const longestWaitSeconds = 300;

/**
 * Makes sure that the stage answers, knows the key and has enough left for it.
 *
 * @throws OperatorError where the checks cannot even begin, in one line that says what to do
 */
export async function preflight(stage: Stage, isWaitingAllowed: boolean): Promise<void> {
  const answer = await firstAnswer(stage);
  if (answer.status === 401) {
    throw new OperatorError(
      '--key is refused by the stage (401): issue one there, or give the address of its own stage',
    );
  }
  const { limit, remaining, reset } = rateLimitOf(answer);
  const isSpent = answer.status === 429 || remaining < neededRequests;
  if (!isSpent) return;
  const retryAfter = Number(answer.headers.get('retry-after')?.[0]);
  const waitSeconds = retryAfter || reset - serverSeconds(answer) + 1;
  const isWorthWaiting = limit >= neededRequests && waitSeconds <= longestWaitSeconds;
  if (isWaitingAllowed && isWorthWaiting) return sleep(waitSeconds * 1000);
  throw new OperatorError(
    `--key has ${remaining} of ${limit} requests left and the checks need ${neededRequests}: ` +
      `try again in ${waitSeconds} seconds, add --wait, or use another key`,
  );
}

async function firstAnswer(stage: Stage): Promise<TextAnswer> {
  try {
    return await stage.call('getPet');
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    throw new OperatorError(`--url does not answer (${message || code}): is the stage running?`);
  }
}
