import { OperatorError, reasonOf } from '../shared/errors.ts';
import { printable } from '../shared/printable.ts';

/** A check of one aspect of a subject, such as a stage. */
export interface Check<Subject> {
  /** The rules or the words of a page that depend on the result. Checks of the same group are printed together. */
  readonly group: string;
  readonly title: string;
  /** A text that the result of `run` has to contain. @default - `run` itself compares */
  readonly expected?: string;
  /**
   * @throws CheckSkipped if the subject lacks something that the check needs @throws another error if the check fails
   */
  readonly run: (subject: Subject) => Promise<unknown>;
}

/** A check needs something that its subject does not have. */
export class CheckSkipped extends Error {}

const marks = { passed: '✓', failed: '✗', skipped: '–' };

/**
 * Runs checks one after the other, because they share the subject and its counters. Prints the outcome of each
 * check, and the number of checks with each outcome. Nothing that is printed contains a key or a control character,
 * because an answer may contain both.
 *
 * @param signal ends the run, with an OperatorError as its reason
 * @returns true if no check has failed
 * @throws OperatorError after which no other check would say anything about the subject
 */
export async function runChecks<Subject>(
  checks: readonly Check<Subject>[],
  subject: Subject,
  signal?: AbortSignal,
): Promise<boolean> {
  const print = (line: string) => console.log(printable(line));
  const counts = { passed: 0, failed: 0, skipped: 0 };
  let lastGroup = '';
  for (const { group, title, expected, run } of checks) {
    let outcome: keyof typeof counts = 'passed';
    let seen = '';
    try {
      signal?.throwIfAborted();
      const result = await run(subject);
      if (expected !== undefined) seen = String(result);
      if (!seen.includes(expected ?? '')) outcome = 'failed';
    } catch (error) {
      if (error instanceof OperatorError) throw error;
      outcome = error instanceof CheckSkipped ? 'skipped' : 'failed';
      seen = (error as Error).message || reasonOf(error);
    }
    const details = expected === undefined ? seen : `expected: ${expected}\nseen: ${seen}`;
    counts[outcome]++;
    if (group !== lastGroup) print(`\n${group}`);
    lastGroup = group;
    print(`  ${marks[outcome]} ${title}`);
    for (const line of details.split('\n').filter(Boolean)) print(`      ${line}`);
  }
  print(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  return counts.failed === 0;
}
