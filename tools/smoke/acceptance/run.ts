/** `npm run acceptance`: deploys a trial, checks what only a real stage can show, and removes it. */
import { Command } from 'commander';
import { stackName } from '../../../lib/settings/names.ts';
import { isStageName, stageNames, stageSettings } from '../../../lib/settings/stages.ts';
import { reportFailure } from '../../admin/failure-report.ts';
import { parseCommandLine } from '../../shared/command-line.ts';
import { InterruptedError, InvalidValueError, OperatorError } from '../../shared/errors.ts';
import type { Runner } from '../runner.ts';
import { selectChecks } from '../smoke-test.ts';
import { accept } from './accept.ts';
import { gatewayKeyRows, requestRows, tlsRow } from './gateway-rows.ts';
import { operatorRows } from './operator-commands.ts';
import { importRow, outageRows } from './outage-rows.ts';
import { type Deployed, deploy, emulator, remove } from './trial.ts';

async function check(trial: Deployed, runner: Runner): Promise<void> {
  const { api, outputs, signal } = trial;
  // The order 1 was imported.
  const options = { cancelOrder: '1', limits: true, alarmTopic: outputs.AlarmTopicArn };
  await runner.run([...gatewayKeyRows, ...operatorRows, importRow], trial, signal);
  await runner.run(selectChecks(options), api, signal);
  await runner.run([...requestRows, ...outageRows, tlsRow], trial, signal);
}

const command = new Command('npm run acceptance --')
  .option('--clean', 'only remove what an interrupted run has left')
  .description(`Deploys a trial with your AWS credentials, checks it, and removes it. Prints what
was expected and seen, and the words of a page that depend on it.

A run takes about half an hour, and costs less than a dollar. The environment
variable ORDERS_STAGE names the trial (default: try-accept). The trial is in
staging's account and Region (lib/settings/stages.ts), or in those of the
credentials. After Ctrl+C, the run removes the trial. If a run ended in another
way, the next run removes its trial.

Exit code: 0 if everything is as expected, 1 otherwise.`);

const { ORDERS_STAGE: stage = 'try-accept' } = process.env;
const interruption = new AbortController();
// A second signal ends the process.
process.once('SIGINT', interrupt).once('SIGTERM', interrupt);

try {
  const options = parseCommandLine<{ readonly clean?: boolean }>(command, process.argv.slice(2));
  if (options) process.exitCode = await run(options.clean);
} catch (error) {
  printFailure(error);
  process.exitCode = 1;
}

async function run(isCleanOnly = false): Promise<number> {
  if (!isStageName(stage) || stageNames.some((name) => name === stage)) {
    throw new InvalidValueError('ORDERS_STAGE', stage, 'a trial, such as try-ana');
  }
  const { AWS_REGION } = process.env;
  const region = stageSettings(stage).env?.region ?? AWS_REGION;
  if (!region) throw new OperatorError('set AWS_REGION to the Region of the trial');
  // Set in the environment, because the programs that the checks run inherit it.
  const own = { ORDERS_STAGE: stage, ORDERS_LOCAL: '', ORDERS_KEY: '' };
  Object.assign(process.env, { ...own, AWS_REGION: region });
  const trial = { name: stage, stack: stackName(stage), signal: interruption.signal };
  await remove(trial);
  if (isCleanOnly) return 0;
  const where = emulator ? `the emulator at ${emulator}, which says nothing about AWS` : 'AWS';
  console.log(`On ${where}, in ${region}, ${new Date().toISOString()}`);
  const isGood = await accept({
    deploy: () => deploy(trial),
    check,
    remove: () => remove(trial),
    print: console.log,
  });
  return isGood ? 0 : 1;
}

function printFailure(error: unknown): void {
  const { message, remedy } = reportFailure(error, { stage });
  console.error(`acceptance: ${[message, remedy].filter(Boolean).join('; ')}`);
}

function interrupt(): void {
  console.error('acceptance: interrupted, removing the trial');
  interruption.abort(new InterruptedError('interrupted'));
}
