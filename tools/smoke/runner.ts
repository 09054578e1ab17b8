import { reasonOf } from '../shared/errors.ts';
import { CheckFailed } from './stage/stage.ts';

/** A check of one aspect of a subject, such as a stage. */
export interface Check<Subject> {
  /** The rules or the words of a page that depend on the result. Checks of the same group are printed together. */
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

/** A check is `unchecked` if it could not be made, for example because AWS has refused a call. */
const marks = { passed: '✓', failed: '✗', unchecked: '?', skipped: '–' };
type Outcome = keyof typeof marks;

/** Runs checks, and prints and counts their outcomes. */
export class Runner {
  readonly #counts = { passed: 0, failed: 0, unchecked: 0, skipped: 0 };
  readonly #print: (line: string) => void;
  readonly #isEnd: (error: unknown) => boolean;
  #group = '';

  /** @param isEnd whether an error of a check ends the run. After every other error, the next check is made */
  constructor(print: (line: string) => void, isEnd: (error: unknown) => boolean) {
    this.#print = print;
    this.#isEnd = isEnd;
  }

  /** Whether every check has passed, or was skipped. */
  get isGood(): boolean {
    return this.#counts.failed + this.#counts.unchecked === 0;
  }

  /** The number of checks with each outcome. */
  get summary(): string {
    return Object.entries(this.#counts)
      .map(([outcome, count]) => `${count} ${outcome}`)
      .join(', ');
  }

  /** Runs checks one after the other, because they share the subject and its counters. @throws errors that end the run */
  async run<Subject>(
    checks: readonly Check<Subject>[],
    subject: Subject,
    signal?: AbortSignal,
  ): Promise<void> {
    for (const check of checks) {
      signal?.throwIfAborted();
      const { group, title, expected } = check;
      const startedMs = performance.now();
      const [outcome, seen] = await this.#outcomeOf(check, subject);
      this.#counts[outcome]++;
      if (group !== this.#group) this.#print(`\n${group}`);
      this.#group = group;
      this.#print(`  ${marks[outcome]} ${title} (${Math.round(performance.now() - startedMs)} ms)`);
      const details = expected === undefined ? seen : `expected: ${expected}\nseen: ${seen}`;
      for (const line of details.split('\n').filter(Boolean)) this.#print(`      ${line}`);
    }
  }

  async #outcomeOf<Subject>(
    { expected, run }: Check<Subject>,
    subject: Subject,
  ): Promise<[Outcome, string]> {
    try {
      const seen = await run(subject);
      if (expected === undefined) return ['passed', ''];
      return [String(seen).includes(expected) ? 'passed' : 'failed', String(seen)];
    } catch (error) {
      if (this.#isEnd(error)) throw error;
      if (error instanceof CheckFailed) return ['failed', error.message];
      return [error instanceof CheckSkipped ? 'skipped' : 'unchecked', reasonOf(error)];
    }
  }
}
