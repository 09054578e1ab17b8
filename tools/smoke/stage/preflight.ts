import { versionPath } from '../../../lib/settings/functions.ts';
import { OperatorError, reasonOf } from '../../shared/errors.ts';
import type { Answer } from './http-client.ts';
import { CheckFailed, codeOf, ensureNotUsedUp, type Stage, shown } from './stage.ts';

/** The longest wait until a new key, stage or domain has reached all hosts of API Gateway. */
const longestPropagationMs = 120_000;
const pauseMs = 2_000;
/** Several good answers are required, because each connection may reach another host. */
const goodAnswersInARow = 5;

/** @throws OperatorError if the stage answers with errors, refuses the key or has no requests left for it */
export async function preflight(
  stage: Stage,
  hostname: string,
  print: (line: string) => void,
  sleep: (ms: number) => Promise<unknown>,
): Promise<void> {
  let waitedMs = 0;
  let inARow = 0;
  let answer: Answer;
  for (;;) {
    answer = await ask(stage, hostname);
    const isTemporary = answer.status === 403 || answer.status >= 500;
    if (!isTemporary) ensureService(answer);
    inARow = isTemporary ? 0 : inARow + 1;
    if (inARow === goodAnswersInARow) break;
    if (!isTemporary && waitedMs === 0) continue;
    if (isTemporary && waitedMs >= longestPropagationMs) throw notSteady(answer);
    if (waitedMs === 0) print(`${waiting}: it answers ${shown(answer)}`);
    await sleep(pauseMs);
    waitedMs += pauseMs;
  }
  if (waitedMs > 0) print(`All answers are good after ${waitedMs / 1_000} s`);
  ensureNotUsedUp(answer);
}

const waiting =
  `Waiting up to ${longestPropagationMs / 1_000} s until all of API Gateway knows the key ` +
  'and the address';

async function ask(stage: Stage, hostname: string): Promise<Answer> {
  try {
    return await stage.call('getPet', { headers: { connection: 'close' } });
  } catch (error) {
    if (!(error instanceof CheckFailed)) throw error;
    throw unreachable(hostname, error.cause as NodeJS.ErrnoException);
  }
}

function unreachable(hostname: string, error: NodeJS.ErrnoException) {
  const explanation =
    error.code === 'ENOTFOUND'
      ? `there is no DNS record for ${hostname}. For a name of your own, create a CNAME or an alias to ` +
        "the stack's output DomainNameTarget. Otherwise compare the address with the output BaseUrl"
      : `${reasonOf(error)}; check that the stage is running`;
  return new OperatorError(`--url does not answer: ${explanation}`);
}

function ensureService(answer: Answer): void {
  const isOurs = codeOf(answer) !== undefined || answer.headers.has('x-ratelimit-limit');
  // The requested path exists below the right address, so a response 404 means that the address is wrong.
  const isElsewhere = codeOf(answer) === 'not_found';
  if (!isOurs || isElsewhere) {
    throw new OperatorError(
      `--url is not the address of this service: it answers ${shown(answer)}. ` +
        `Use the stack's output BaseUrl, with its stage and version: https://…/STAGE${versionPath}`,
    );
  }
  if (answer.status !== 401) return;
  throw new OperatorError(
    "the stage refuses the key (401); issue a key of this stage, or use the address of the key's own stage",
  );
}

function notSteady(answer: Answer): OperatorError {
  return new OperatorError(
    `--url does not give good answers after ${longestPropagationMs / 1_000} s: ` +
      `it answers ${shown(answer)}; check that --url is the stack's output BaseUrl, which contains the stage. ` +
      'docs/runbook.md says what 503 means, under "Authorizer failures"',
  );
}
