import { Command, Option } from 'commander';
import { type Figure, jobs } from './jobs.ts';
import { setUpWorkbench } from './workbench.ts';

const jobNames = Object.keys(jobs) as (keyof typeof jobs)[];
const { only, quick } = new Command('npm run bench --')
  .description(
    "Compares the service's speed and memory with other libraries, in less than three minutes.",
  )
  .addOption(
    new Option('--only <job...>', 'run only these jobs')
      .choices(jobNames)
      .default(jobNames, 'all of them'),
  )
  .option('--quick', 'check that the benchmark works: the figures mean nothing', false)
  .parse()
  .opts<{ only: typeof jobNames; quick: boolean }>();

await using bench = await setUpWorkbench(quick);
for (const job of only) {
  process.stdout.write(job);
  const figures = await jobs[job](bench);
  console.log(`\n${figures.map(lineOf).join('\n')}`);
  if (!quick && figures.some(isMissed)) process.exitCode = 1;
}

function lineOf(figure: Figure): string {
  const { name, value, max } = figure;
  const line = `  ${name.padEnd(32)}${Number(value.toPrecision(3))}`;
  if (quick || max === undefined) return line;
  return `${line.padEnd(42)}${isMissed(figure) ? 'MISSED' : 'met'}: at most ${max}`;
}

function isMissed({ value, max = Infinity }: Figure): boolean {
  return value > max;
}
