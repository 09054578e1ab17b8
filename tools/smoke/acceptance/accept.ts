import { InterruptedError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import { Runner, row } from '../runner.ts';

/** The steps of a run on a trial. `Deployed` describes the trial. */
interface Steps<Deployed> {
  readonly deploy: () => Promise<Deployed>;
  readonly check: (deployed: Deployed, runner: Runner) => Promise<void>;
  /** Removes everything that a run has created. */
  readonly remove: () => Promise<void>;
  readonly print: (line: string) => void;
}

/**
 * Deploys a trial, checks it, and removes it, even if the deployment fails or the user ends the run. What a server has
 * sent is printed without keys.
 *
 * @returns whether everything is as expected
 * @throws InterruptedError if the user ends the run
 */
export async function accept<Deployed>(steps: Steps<Deployed>): Promise<boolean> {
  const isEnd = (error: unknown) => error instanceof InterruptedError;
  const runner = new Runner((line) => steps.print(printable(line)), isEnd);
  let deployed: Deployed | undefined;
  const deployment = async () => {
    deployed = await steps.deploy();
    return 'succeeded';
  };
  const removal = () => steps.remove().then(() => 'removed');
  try {
    await runner.run([row(deploymentPage, 'cdk deploy', 'succeeded', deployment)], undefined);
    if (deployed) await steps.check(deployed, runner);
  } finally {
    await runner.run([row(removalPage, 'the removal of the trial', 'removed', removal)], undefined);
    steps.print(`\n${runner.summary}`);
  }
  return runner.isGood;
}

const deploymentPage = 'docs/first-deploy.md: The deployment takes a few minutes';
const removalPage = 'docs/operating.md: leaves the role with which API Gateway logs';
