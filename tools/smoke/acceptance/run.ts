/** `npm run acceptance`: deploys a trial, checks what only a real stage can show, and destroys it. */
import { Command } from 'commander';
import { stackName } from '../../../lib/settings/names.ts';
import { isStageName, stageNames, stageSettings } from '../../../lib/settings/stages.ts';
import { reportFailure } from '../../admin/failure-report.ts';
import { parseCommandLine } from '../../shared/command-line.ts';
import { InterruptedError, InvalidValueError, OperatorError } from '../../shared/errors.ts';
import { checkContract, checkGatewayResponses } from './contract.ts';
import { Evidence, emulator } from './evidence.ts';
import { checkOperator } from './operator-commands.ts';
import { checkOrders } from './orders.ts';
import { checkRecords } from './records.ts';
import { type Deployed, deploy, destroy, type Trial } from './trial.ts';

const checks = [checkOperator, checkContract, checkOrders, checkGatewayResponses, checkRecords];

const command = new Command('npm run acceptance --')
  .option('--clean', 'only remove what an interrupted run has left')
  .description(`Deploys a trial with your AWS credentials, checks it, and destroys it. Prints a
table in Markdown.

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
  printFailure('', error);
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
  const evidence = new Evidence();
  const trial = { stage, stack: stackName(stage), signal: interruption.signal, evidence };
  if (isCleanOnly) {
    for (const each of await destroy(trial)) console.log(`${each} remains`);
    return 0;
  }
  const failure: unknown = await accept(trial).catch((error) => error);
  if (failure) printFailure('the checks ended early: ', failure);
  const where = emulator ? `the emulator at ${emulator}, which says nothing about AWS` : 'AWS';
  console.log(`On ${where}, in ${region}, ${new Date().toISOString()}:\n`);
  console.log(evidence.markdown);
  return failure || !evidence.isGood ? 1 : 0;
}

/** Deploys a stage, makes every check, and destroys the stage, even if a check or the user ends the run. */
async function accept(trial: Trial): Promise<void> {
  await destroy(trial);
  try {
    let deployed: Deployed | undefined;
    const startedMs = performance.now();
    await trial.evidence.add('cdk deploy', 'succeeded', async () => {
      deployed = await deploy(trial);
      return `succeeded in ${Math.round((performance.now() - startedMs) / 1_000)} s`;
    });
    if (deployed) for (const check of checks) await check(deployed);
  } finally {
    const most = 'at most the role with which API Gateway logs';
    await trial.evidence.add('what remains in the end', most, async () => {
      const remaining = await destroy(trial);
      const isMost = remaining.every((each) => /ApiGateway::Account|CloudWatchRole/.test(each));
      return `${isMost ? most : 'more'}: ${remaining.join(', ') || 'nothing'}`;
    });
  }
}

function printFailure(consequence: string, error: unknown): void {
  const { message, remedy } = reportFailure(error, { stage });
  console.error(`acceptance: ${consequence}${[message, remedy].filter(Boolean).join('; ')}`);
}

function interrupt(): void {
  console.error('acceptance: interrupted, removing the trial');
  interruption.abort(new InterruptedError('interrupted'));
}
