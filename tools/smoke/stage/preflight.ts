import { setTimeout as realSleep } from 'node:timers/promises';
import { OperatorError, reasonOf } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import { ensureNotUsedUp, type Stage, shown } from './stage.ts';

/** The longest wait until a new key, stage or domain has reached all hosts of API Gateway. */
const longestWaitMs = 120_000;
const pauseMs = 2_000;
/** Several good answers are required, because each connection may reach another host. */
const goodAnswersInARow = 5;

/**
 * Waits until the stage answers. @throws OperatorError if the stage does not answer, refuses the key, or has no
 * requests left for the key
 */
export async function preflight(
  stage: Stage,
  sleep: (ms: number) => Promise<unknown> = realSleep,
): Promise<void> {
  let waitedMs = 0;
  for (let good = 0; good < goodAnswersInARow; ) {
    const answer = await stage
      .call('getPet', { headers: { connection: 'close' } })
      .catch(({ cause }) => {
        throw new OperatorError(`--url does not answer: ${reasonOf(cause)}`);
      });
    ensureNotUsedUp(answer);
    const isTemporary = answer.status === 403 || answer.status >= 500;
    if (answer.status !== 410 && (!isTemporary || waitedMs >= longestWaitMs)) {
      throw new OperatorError(
        `--url answers ${shown(answer)}, expected 410; check that --url is the stack's output BaseUrl, and that the ` +
          'key is of this stage. For 503, see "Authorizer failures" in docs/runbook.md',
      );
    }
    good = isTemporary ? 0 : good + 1;
    if (!isTemporary && waitedMs === 0) continue;
    if (waitedMs === 0)
      console.error(
        printable(`Waiting up to 120 s, because a new key may not work yet: ${shown(answer)}`),
      );
    await sleep(pauseMs);
    waitedMs += pauseMs;
  }
}
