import { InterruptedError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import { type Check, isGood, type Outcome, type Result, row, runChecks } from '../runner.ts';

/** The steps of a run on a trial. `Deployed` describes the trial. */
interface Steps<Deployed> {
  readonly deploy: () => Promise<Deployed>;
  readonly rowsFor: (deployed: Deployed) => readonly Check<Deployed>[];
  /** Removes everything that a run has created. */
  readonly remove: () => Promise<void>;
  readonly print: (line: string) => void;
  /** Ends the run. */
  readonly signal: AbortSignal;
}

const verdicts: Readonly<Record<Outcome, string>> = {
  passed: 'as expected',
  failed: 'differs',
  unchecked: 'unchecked',
  skipped: 'not possible here',
};

/**
 * Deploys a trial, checks it, and removes it, even if the deployment fails or the run is ended. Prints a table in
 * Markdown.
 *
 * @returns whether everything is as expected
 * @throws InterruptedError if the run is ended
 */
export async function accept<Deployed>(steps: Steps<Deployed>): Promise<boolean> {
  const { print, signal } = steps;
  print('| verdict | what | expected | seen | who depends on it |');
  print('| --- | --- | --- | --- | --- |');
  const outcomes: Outcome[] = [];
  const check = async <Subject>(rows: readonly Check<Subject>[], subject: Subject) => {
    const report = (result: Result) => {
      print(tableRow(result));
      signal.throwIfAborted();
    };
    const isEnd = (error: unknown) => error instanceof InterruptedError;
    outcomes.push(...(await runChecks(rows, subject, report, isEnd)));
  };
  let deployed: Deployed | undefined;
  const page = 'docs/first-deploy.md: The deployment takes a few minutes';
  const deployment = row(page, 'cdk deploy', 'succeeded', async () => {
    deployed = await steps.deploy();
    return 'succeeded';
  });
  try {
    await check([deployment], undefined);
    if (deployed) await check(steps.rowsFor(deployed), deployed);
  } finally {
    await check([removal], steps);
  }
  return isGood(outcomes);
}

const removal = row<Pick<Steps<unknown>, 'remove'>>(
  'docs/operating.md: leaves the role with which API Gateway logs',
  'the removal of the trial',
  'removed',
  async ({ remove }) => {
    await remove();
    return 'removed';
  },
);

/** A line of the table. It contains no key, whatever a server has sent. */
function tableRow({ check, outcome, seen }: Result): string {
  const { title, expected = 'as documented', group } = check;
  const cells = [verdicts[outcome], title, expected, printable(seen) || 'as documented', group];
  const escaped = cells.map((text) => text.replaceAll('|', '\\|').replaceAll('\n', '; '));
  return `| ${escaped.join(' | ')} |`;
}
