import { OperatorError } from '../../shared/errors.ts';
import type { Clock } from './clock.ts';
import type { TextAnswer } from './http-client.ts';
import { codeOf, type Stage } from './stage.ts';
import { unreachable } from './unreachable.ts';

/** The limit for the time in which a new key, stage or domain reaches all hosts of API Gateway. */
const longestPropagationMs = 120_000;
const pauseMs = 2_000;
/** Several good answers are required, because each connection may reach another host. */
const goodAnswersInARow = 5;

interface Steadiness {
  /** The last answer. */
  readonly answer: TextAnswer;
  /** The time since the first request; 0 if there was no need to wait. */
  readonly waitedMs: number;
}

/**
 * Sends requests until the answers are steady, each over a new connection.
 *
 * @param print prints once what is being waited for
 * @throws OperatorError when another service answers, when the key is refused, or when the answers
 *   are not steady within two minutes
 */
export async function awaitSteadyAnswers(
  stage: Stage,
  clock: Clock,
  print: (line: string) => void,
): Promise<Steadiness> {
  const startedMs = clock.nowMs();
  let waitedMs = 0;
  for (let inARow = 0; ; ) {
    const answer = await ask(stage);
    const isGood = !isTemporary(answer);
    if (isGood) checkAnswer(answer, stage);
    inARow = isGood ? inARow + 1 : 0;
    if (inARow === goodAnswersInARow) return { answer, waitedMs };
    if (isGood && waitedMs === 0) continue;
    if (clock.nowMs() - startedMs >= longestPropagationMs) throw notSteady(answer);
    if (waitedMs === 0) print(waitingFor(answer));
    await clock.sleep(pauseMs);
    waitedMs = clock.nowMs() - startedMs;
  }
}

async function ask(stage: Stage): Promise<TextAnswer> {
  try {
    return await stage.call('getPet', { headers: { connection: 'close' } });
  } catch (error) {
    throw unreachable(stage.url, error as NodeJS.ErrnoException);
  }
}

/** Whether an answer is one that API Gateway gives while a key, stage or domain is new. */
function isTemporary({ status }: TextAnswer): boolean {
  return status === 403 || status >= 500;
}

/** @throws OperatorError when the answer is not from this service, or refuses the key */
function checkAnswer(answer: TextAnswer, stage: Stage): void {
  const isOurs = codeOf(answer) !== undefined || answer.headers.has('x-ratelimit-limit');
  // The path that is asked for exists below the right address alone.
  const isElsewhere = codeOf(answer) === 'not_found';
  if (!isOurs || isElsewhere) {
    throw new OperatorError(
      `--url is not the address of this service: ${shown(answer)}. Give the stack's output BaseUrl, ` +
        `with its stage and version: https://…/${stage.name}/v1`,
    );
  }
  if (answer.status !== 401) return;
  throw new OperatorError(
    'the key is refused by the stage (401): issue one there, or give the address of its own stage',
  );
}

function waitingFor(answer: TextAnswer): string {
  return (
    `Waiting until API Gateway knows the key and the address everywhere, ` +
    `${longestPropagationMs / 1_000} s at most: ${shown(answer)}`
  );
}

function notSteady(answer: TextAnswer): OperatorError {
  const remedy =
    answer.status === 403
      ? "is this the stack's output BaseUrl, with its stage?"
      : 'docs/runbook.md says what 503 means, under "Authorizer failures"';
  return new OperatorError(
    `--url does not answer steadily after ${longestPropagationMs / 1_000} s: ${shown(answer)}; ${remedy}`,
  );
}

function shown({ status, headers, text }: TextAnswer): string {
  const id = headers.get('x-amzn-requestid')?.[0];
  const type = headers.get('content-type')?.[0] ?? 'no content type';
  const start = text.replaceAll(/\p{Cc}+/gu, ' ').slice(0, 120);
  return `it answers ${status} (${type}${id === undefined ? '' : `, request ${id}`}) ${start}`.trim();
}
