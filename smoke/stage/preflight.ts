import { OperatorError } from '../../shared/errors.ts';
import type { Clock } from './clock.ts';
import type { TextAnswer } from './http-client.ts';
import { rateLimitOf, type Stage, serverSeconds } from './stage.ts';
import { awaitSteadyAnswers } from './steady-answers.ts';

/** A minute's window ends well within this; nobody waits for a day's. */
export const longestWaitSeconds = 300;

export interface PreflightOptions {
  /** What all checks together use up, and a few to spare. */
  readonly neededRequests: number;
  /** Whether to wait until the key is served again. */
  readonly isWaitingAllowed: boolean;
  readonly clock: Clock;
  /** Is told what is being waited for. */
  readonly tell: (line: string) => void;
}

/**
 * Makes sure that the stage answers steadily, knows the key and has enough left for it.
 *
 * @returns how long the stage took until it answered steadily
 * @throws OperatorError where the checks cannot even begin, in one line that says what to do
 */
export async function preflight(stage: Stage, options: PreflightOptions): Promise<number> {
  const { clock, tell } = options;
  const { answer, waitedMs } = await awaitSteadyAnswers(stage, clock, tell);
  await ensureAllowance(answer, options);
  return waitedMs;
}

async function ensureAllowance(answer: TextAnswer, options: PreflightOptions): Promise<void> {
  const { neededRequests, isWaitingAllowed, clock, tell } = options;
  const { limit, remaining, reset } = rateLimitOf(answer);
  // Headers that are missing or no numbers are for the checks to report.
  if ([limit, remaining, reset].some(Number.isNaN)) return;
  if (answer.status !== 429 && remaining >= neededRequests) return;
  const retryAfter = Number(answer.headers.get('retry-after')?.[0] ?? 0);
  const waitSeconds = Math.max(1, retryAfter || reset - serverSeconds(answer) + 1);
  if (isWaitingAllowed && limit >= neededRequests && waitSeconds <= longestWaitSeconds) {
    tell(`Waiting ${waitSeconds} s until the key is served again`);
    await clock.sleep(waitSeconds * 1_000);
    return;
  }
  throw new OperatorError(
    `the key has ${remaining} of ${limit} requests left and the checks need ${neededRequests}: ` +
      `try again in ${waitSeconds} seconds, add --wait, or use another key`,
  );
}
