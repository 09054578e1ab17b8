/** `npm run acceptance`: deploys a trial, checks what only a real stage can show, and destroys it. */
import { Command } from 'commander';
import { stackName } from '../../lib/settings/names.ts';
import { isStageName, stageNames, stageSettings } from '../../lib/settings/stages.ts';
import { parseCommandLine } from '../shared/command-line.ts';
import { InterruptedError, InvalidValueError, OperatorError, reasonOf } from '../shared/errors.ts';
import { accept } from './acceptance.ts';
import { Evidence, emulator } from './evidence.ts';
import { destroy } from './trial.ts';

const command = new Command('npm run acceptance --')
  .description(
    'Deploys a trial with your AWS credentials, checks it, and destroys it. Prints a table in Markdown.',
  )
  .option('--clean', 'only remove what an interrupted run has left')
  .addHelpText(
    'after',
    `
It takes about half an hour, and costs less than a dollar. STORE_ORDERS_STAGE names the trial (default:
try-accept). Account and Region are those of staging in lib/settings/stages.ts. After Ctrl+C it removes
everything; a run that was ended otherwise is removed by the next one.

Exit code: 0 if everything is as expected, 1 otherwise.`,
  );

const interruption = new AbortController();
// A second signal ends the process.
process.once('SIGINT', interrupt).once('SIGTERM', interrupt);

try {
  const options = parseCommandLine<{ readonly clean?: boolean }>(command, process.argv.slice(2));
  if (options) process.exitCode = await run(options.clean);
} catch (error) {
  if (!(error instanceof OperatorError)) throw error;
  console.error(`acceptance: ${error.message}`);
  process.exitCode = 1;
}

async function run(isCleanOnly = false): Promise<number> {
  const { STORE_ORDERS_STAGE: stage = 'try-accept' } = process.env;
  if (!isStageName(stage) || stageNames.some((name) => name === stage)) {
    throw new InvalidValueError('STORE_ORDERS_STAGE', stage, 'a trial, such as try-ana');
  }
  process.env.AWS_REGION = stageSettings(stage).region;
  const trial = { stage, stack: stackName(stage), signal: interruption.signal };
  if (isCleanOnly) {
    for (const each of await destroy(trial)) console.log(`${each} remains`);
    return 0;
  }
  const evidence = new Evidence();
  let isWhole = true;
  await accept(trial, evidence).catch((error: unknown) => {
    isWhole = false;
    console.error(`acceptance: the checks ended early: ${reasonOf(error)}`);
  });
  const where = emulator ? `the emulator at ${emulator}, which says nothing about AWS` : 'AWS';
  console.log(`On ${where}, in ${process.env.AWS_REGION}, ${new Date().toISOString()}:\n`);
  console.log(evidence.markdown);
  return evidence.isGood && isWhole ? 0 : 1;
}

function interrupt(): void {
  console.error('acceptance: interrupted, removing the trial');
  interruption.abort(new InterruptedError('interrupted'));
}
