import { Console } from 'node:console';
import { Command, Option } from 'commander';
import { parseCommandLine } from '../shared/command-line.ts';
import { OperatorError } from '../shared/errors.ts';
import { benchCold } from './cold.ts';
import { benchLimiter } from './limiter.ts';
import { benchList, benchMillion } from './list.ts';
import { type Findings, missedTargets, printFindings, renderJson } from './report.ts';
import { setUpWorkbench } from './workbench.ts';

const jobs = {
  list: benchList,
  million: benchMillion,
  limiter: benchLimiter,
  cold: benchCold,
};

type JobName = keyof typeof jobs;

interface BenchOptions {
  only: JobName[];
  quick?: boolean;
  json?: boolean;
}

const jobNames = Object.keys(jobs) as JobName[];
const command = new Command('npm run bench --')
  .description("Compares the service's speed and memory with other libraries.")
  .addOption(
    new Option('--only <job...>', 'run only these jobs')
      .choices(jobNames)
      .default(jobNames, 'all of them'),
  )
  .option('--quick', 'tiny sizes and one round: checks that it works, not how fast it is')
  .option('--json', 'print one line of figures on stdout and the table on stderr');

try {
  const options = parseCommandLine<BenchOptions>(command, process.argv.slice(2));
  if (options) await run(options);
} catch (error) {
  if (!(error instanceof OperatorError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

async function run({ only, quick = false, json }: BenchOptions): Promise<void> {
  const table = new Console(json ? process.stderr : process.stdout);
  const findings: Findings[] = [];
  using bench = await setUpWorkbench(quick);
  for (const name of only) {
    const found = await jobs[name](bench);
    findings.push(found);
    printFindings(found, table, quick);
  }
  if (json) console.log(renderJson(findings));
  const hasMissed = findings.some((found) => missedTargets(found).length > 0);
  // The figures of a quick run mean nothing.
  if (hasMissed && !quick) process.exitCode = 1;
}
