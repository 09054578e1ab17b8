import { Console } from 'node:console';
import { Command, Option } from 'commander';
import { jobs } from './jobs.ts';
import { type Findings, missedTargets, printFindings, renderJson } from './report.ts';
import { setUpWorkbench } from './workbench.ts';

const jobNames = Object.keys(jobs) as (keyof typeof jobs)[];
const { only, quick, json } = new Command('npm run bench --')
  .description("Compares the service's speed and memory with other libraries.")
  .addOption(
    new Option('--only <job...>', 'run only these jobs')
      .choices(jobNames)
      .default(jobNames, 'all of them'),
  )
  .option(
    '--quick',
    'check that the benchmark works: with small sizes, one round, and no targets',
    false,
  )
  .option('--json', 'print one line of figures on stdout and the table on stderr', false)
  .parse()
  .opts<{ only: typeof jobNames; quick: boolean; json: boolean }>();

const table = new Console(json ? process.stderr : process.stdout);
const findings: Findings[] = [];
await using bench = await setUpWorkbench(quick);
for (const name of only) {
  const found = await jobs[name](bench);
  findings.push(found);
  printFindings(found, table, quick);
}
if (json) console.log(renderJson(findings));
// The figures of a quick run mean nothing.
if (!quick && findings.flatMap(missedTargets).length > 0) process.exitCode = 1;
