import { Command } from 'commander';
import { type Figure, jobs } from './jobs.ts';
import { setUpWorkbench } from './workbench.ts';

const { quick } = new Command('npm run bench --')
  .description(
    "Compares the service's speed and memory with other libraries, in less than three minutes.",
  )
  .option('--quick', 'check that the benchmark works: the figures mean nothing', false)
  .parse()
  .opts<{ quick: boolean }>();

await using bench = await setUpWorkbench(quick);
for (const [name, run] of Object.entries(jobs)) {
  process.stdout.write(name);
  const figures = await run(bench);
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
