/** `npm run acceptance`: deploys a trial, checks what only a real stage can show, and removes it. */
import { Command } from 'commander';
import { stackName } from '../../../lib/settings/names.ts';
import { type StageName, stageSettings } from '../../../lib/settings/stages.ts';
import { reportFailure } from '../../admin/failure-report.ts';
import { parseCommandLine } from '../../shared/command-line.ts';
import { InterruptedError, OperatorError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import { runChecks } from '../runner.ts';
import { selectChecks } from '../smoke-test.ts';
import { gatewayKeyRows, requestRows, tlsRow } from './gateway-rows.ts';
import { operatorRows } from './operator-commands.ts';
import { importRow, outageRows } from './outage-rows.ts';
import { deploy, type Row, remove, type Trial } from './trial.ts';

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

/** Always the same trial, because the run removes it. */
const name: StageName = 'try-accept';
const interruption = new AbortController();
// A second signal ends the process.
process.once('SIGINT', interrupt).once('SIGTERM', interrupt);

try {
  const options = parseCommandLine<{ readonly clean?: boolean }>(command, process.argv.slice(2));
  if (options) process.exitCode = await run(options.clean);
} catch (error) {
  const { message, remedy } = reportFailure(error, { stage: name });
  console.error(`acceptance: ${[message, remedy].filter(Boolean).join('; ')}`);
  process.exitCode = 1;
}

async function run(isCleanOnly = false): Promise<number> {
  const { AWS_REGION } = process.env;
  const region = stageSettings(name).env?.region ?? AWS_REGION;
  if (!region) throw new OperatorError('set AWS_REGION to the Region of the trial');
  // The stage is set in the environment, because the programs that the checks run inherit it.
  Object.assign(process.env, { ORDERS_STAGE: name, ORDERS_LOCAL: '', AWS_REGION: region });
  const trial = { name, stack: stackName(name), signal: interruption.signal };
  await remove(trial.stack);
  if (isCleanOnly) return 0;
  try {
    return (await check(await deploy(trial))) ? 0 : 1;
  } finally {
    await remove(trial.stack);
  }
}

function check(trial: Trial): Promise<boolean> {
  // The order 1 is imported.
  const options = { cancelOrder: '1', limits: true, alarmTopic: trial.outputs.AlarmTopicArn };
  const smokeRows = selectChecks(options).map((each): Row => {
    const run: Row['run'] = async ({ api, signal }) => {
      signal.throwIfAborted();
      return each.run(api);
    };
    return { ...each, run };
  });
  const before = [...gatewayKeyRows, ...operatorRows, importRow];
  const rows = [...before, ...smokeRows, ...requestRows, ...outageRows, tlsRow];
  const print = (line: string) => console.log(printable(line));
  return runChecks(rows, trial, print, () => trial.signal.aborted);
}

function interrupt(): void {
  console.error('acceptance: interrupted, removing the trial');
  interruption.abort(new InterruptedError('interrupted'));
}
