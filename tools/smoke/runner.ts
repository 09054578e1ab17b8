import { reasonOf } from '../shared/errors.ts';
import { CheckFailed } from './stage/stage.ts';

/** A check of one aspect of a subject, such as a stage. */
export interface Check<Subject> {
  /** What the check is about. For the acceptance run, the sentence of a page that depends on it. */
  readonly group: string;
  readonly title: string;
  /** A text that the result of `run` has to contain. @default - `run` itself compares, and throws `CheckFailed` */
  readonly expected?: string;
  /** @throws CheckFailed if the subject is not as expected @throws CheckSkipped if it lacks what the check needs */
  readonly run: (subject: Subject) => Promise<unknown>;
}

/** A check whose result has to contain a text. */
export function row<Subject>(
  group: string,
  title: string,
  expected: string,
  run: Check<Subject>['run'],
): Check<Subject> {
  return { group, title, expected, run };
}

/** A check needs something that its subject does not have. */
export class CheckSkipped extends Error {}

/** `unchecked` means that a check could not be made, for example because a call was refused. */
export type Outcome = 'passed' | 'failed' | 'unchecked' | 'skipped';

export interface Result {
  readonly check: Pick<Check<never>, 'group' | 'title' | 'expected'>;
  readonly outcome: Outcome;
  /** What the check has seen, or why it was not made. */
  readonly seen: string;
  readonly durationMs: number;
}

/**
 * Runs checks one after the other, because they share a stage and its counters. A check that throws does not end the
 * run, unless `isEnd` returns true for the error, which is then thrown.
 */
export async function runChecks<Subject>(
  checks: readonly Check<Subject>[],
  subject: Subject,
  report: (result: Result) => void,
  isEnd: (error: unknown) => boolean,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const check of checks) {
    const startedMs = performance.now();
    const [outcome, seen] = await outcomeOf(check, subject, isEnd);
    outcomes.push(outcome);
    report({ check, outcome, seen, durationMs: performance.now() - startedMs });
  }
  return outcomes;
}

async function outcomeOf<Subject>(
  { expected, run }: Check<Subject>,
  subject: Subject,
  isEnd: (error: unknown) => boolean,
): Promise<[Outcome, string]> {
  try {
    const result = await run(subject);
    if (expected === undefined) return ['passed', ''];
    const seen = String(result);
    return [seen.includes(expected) ? 'passed' : 'failed', seen];
  } catch (error) {
    if (isEnd(error)) throw error;
    if (error instanceof CheckFailed) return ['failed', error.message];
    return [error instanceof CheckSkipped ? 'skipped' : 'unchecked', reasonOf(error)];
  }
}

/** Whether every check has passed, or was skipped. */
export function isGood(outcomes: readonly Outcome[]): boolean {
  return outcomes.every((outcome) => outcome === 'passed' || outcome === 'skipped');
}
