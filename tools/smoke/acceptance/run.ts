/** `npm run acceptance`: deploys a trial, checks what only a real stage can show, and removes it. */
import { Command } from 'commander';
import { stageSettings } from '../../../lib/settings/stages.ts';
import { reportFailure } from '../../admin/failure-report.ts';
import { parseCommandLine } from '../../shared/command-line.ts';
import { InterruptedError, OperatorError } from '../../shared/errors.ts';
import { runChecks } from '../runner.ts';
import { acceptanceRows } from './rows.ts';
import { deploy, remove, stageName } from './trial.ts';

const command = new Command('npm run acceptance --')
  .option('--clean', 'only remove what an interrupted run has left')
  .description(`Deploys a trial with your AWS credentials, checks it, and removes it. Prints what
was expected and seen, and the words of a page that depend on it.

A run takes about half an hour, and costs less than a dollar. The trial is the
stage try-accept, in staging's account and Region (lib/settings/stages.ts) or, if
staging names none, in the account and Region of the credentials. After Ctrl+C,
the run removes the trial. If a run ended in another way, the next run removes its
trial.

Exit code: 0 if everything is as expected, 1 otherwise.`);

const interruption = new AbortController();
// A second signal ends the process.
process.once('SIGINT', interrupt).once('SIGTERM', interrupt);

try {
  const options = parseCommandLine<{ readonly clean?: boolean }>(command, process.argv.slice(2));
  if (options) process.exitCode = await run(options.clean);
} catch (error) {
  const { message, remedy } = reportFailure(error, { stage: stageName });
  console.error(`acceptance: ${[message, remedy].filter(Boolean).join('; ')}`);
  process.exitCode = 1;
}

async function run(isCleanOnly = false): Promise<number> {
  const { AWS_REGION } = process.env;
  const region = stageSettings(stageName).env?.region ?? AWS_REGION;
  if (!region) throw new OperatorError('set AWS_REGION to the Region of the trial');
  // The stage is set in the environment, because the programs that the checks run inherit it.
  Object.assign(process.env, { ORDERS_STAGE: stageName, ORDERS_LOCAL: '', AWS_REGION: region });
  await remove();
  if (isCleanOnly) return 0;
  try {
    const trial = await deploy(interruption.signal);
    const rows = acceptanceRows(trial.outputs.AlarmTopicArn);
    return (await runChecks(rows, trial, trial.signal)) ? 0 : 1;
  } finally {
    await remove();
  }
}

function interrupt(): void {
  console.error('acceptance: interrupted, removing the trial');
  interruption.abort(new InterruptedError('interrupted'));
}
