import { OperatorError } from '../../shared/errors.ts';
import type { Clock } from './clock.ts';
import type { TextAnswer } from './http-client.ts';
import { rateLimitOf, type Stage, serverSeconds } from './stage.ts';
import { awaitSteadyAnswers } from './steady-answers.ts';

/** The longest wait for a key: longer than a minute's window, and shorter than most of a day's. */
export const longestWaitSeconds = 300;

interface PreflightOptions {
  /** The number of counted requests of all checks together, with a small reserve. */
  readonly neededRequests: number;
  /** Whether to wait until the key is served again. */
  readonly isWaitingAllowed: boolean;
  readonly clock: Clock;
  /** Prints what the preflight is waiting for. */
  readonly print: (line: string) => void;
}

/**
 * Ensures that the stage answers steadily, accepts the key and admits enough requests of it.
 *
 * @returns the time until the stage answered steadily, in milliseconds
 * @throws OperatorError when the checks cannot start, with one line that says what to do
 */
export async function preflight(stage: Stage, options: PreflightOptions): Promise<number> {
  const { clock, print } = options;
  const { answer, waitedMs } = await awaitSteadyAnswers(stage, clock, print);
  await ensureAllowance(answer, options);
  return waitedMs;
}

async function ensureAllowance(answer: TextAnswer, options: PreflightOptions): Promise<void> {
  const { neededRequests, isWaitingAllowed, clock, print } = options;
  const { limit, remaining, reset } = rateLimitOf(answer);
  // Missing or malformed headers are reported by the checks.
  if ([limit, remaining, reset].some(Number.isNaN)) return;
  if (answer.status !== 429 && remaining >= neededRequests) return;
  const retryAfter = Number(answer.headers.get('retry-after')?.[0] ?? 0);
  const waitSeconds = Math.max(1, retryAfter || reset - serverSeconds(answer) + 1);
  if (isWaitingAllowed && limit >= neededRequests && waitSeconds <= longestWaitSeconds) {
    print(`Waiting ${waitSeconds} s until the key is served again`);
    await clock.sleep(waitSeconds * 1_000);
    return;
  }
  throw new OperatorError(
    `the key has ${remaining} of ${limit} requests left and the checks need ${neededRequests}: ` +
      `try again in ${waitSeconds} seconds, add --wait, or use another key`,
  );
}
