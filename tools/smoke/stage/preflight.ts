import { OperatorError, reasonOf } from '../../shared/errors.ts';
import type { Answer } from './http-client.ts';
import { CheckFailed, codeOf, ensureNotUsedUp, type Stage, shown } from './stage.ts';

/** The longest wait until a new key, stage or domain has reached all hosts of API Gateway. */
const longestWaitMs = 120_000;
const pauseMs = 2_000;
/** Several good answers are required, because each connection may reach another host. */
const goodAnswersInARow = 5;

/** @throws OperatorError if the stage answers with errors, refuses the key or has no requests left for it */
export async function preflight(
  stage: Stage,
  print: (line: string) => void,
  sleep: (ms: number) => Promise<unknown>,
): Promise<void> {
  let waitedMs = 0;
  for (let good = 0; good < goodAnswersInARow; ) {
    const answer = await ask(stage);
    const isTemporary = answer.status === 403 || answer.status >= 500;
    if (!isTemporary) ensureService(answer);
    good = isTemporary ? 0 : good + 1;
    if (!isTemporary && waitedMs === 0) continue;
    if (isTemporary && waitedMs >= longestWaitMs) {
      throw new OperatorError(`--url still answers ${shown(answer)}; ${remedy}`);
    }
    if (waitedMs === 0)
      print(`Waiting up to 120 s, because a new key may not work yet: ${shown(answer)}`);
    await sleep(pauseMs);
    waitedMs += pauseMs;
  }
}

const remedy =
  "check that --url is the stack's output BaseUrl. For 503, see docs/runbook.md, " +
  '"Authorizer failures"';

async function ask(stage: Stage): Promise<Answer> {
  try {
    return await stage.call('getPet', { headers: { connection: 'close' } });
  } catch (error) {
    if (!(error instanceof CheckFailed)) throw error;
    throw new OperatorError(`--url does not answer: ${reasonOf(error.cause)}`);
  }
}

function ensureService(answer: Answer): void {
  ensureNotUsedUp(answer);
  if (answer.status === 401 && codeOf(answer) === 'unauthorized') {
    throw new OperatorError('the stage refuses the key (401); issue a key of this stage');
  }
  // The requested path exists below the right address, and its response describes the rate limit.
  if (answer.headers.has('x-ratelimit-limit') && answer.status !== 404) return;
  throw new OperatorError(
    `--url is not the address of this service: it answers ${shown(answer)}. ` +
      "Use the stack's output BaseUrl",
  );
}
