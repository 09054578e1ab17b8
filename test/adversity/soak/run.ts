import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { parseCommandLine } from '../../../shared/command-line.ts';
import { InvalidValueError, OperatorError } from '../../../shared/errors.ts';
import { reportPlot, reportText } from './report.ts';
import { soak } from './soak.ts';

/*
 * `npm run soak -- --minutes 10` writes the figures and a plot to `.cache/soak`, and exits with 1 when
 * an invariant was violated.
 */

interface SoakOptions {
  readonly minutes: number;
  readonly rate: number;
  readonly seed: number;
  readonly out: string;
}

const maxMinutes = 24 * 60;
const maxRatePerSecond = 1_000;

const command = new Command('npm run soak --')
  .description('Runs the local service under load, with phases of faults, and checks invariants.')
  .usage('[--minutes N] [--rate N] [--seed N] [--out DIR]')
  .option('--minutes <n>', 'how long', upTo('--minutes', maxMinutes), 2)
  .option('--rate <n>', 'requests a second', upTo('--rate', maxRatePerSecond), 40)
  .option('--seed <n>', 'determines the faults and the load', upTo('--seed', 2 ** 31), 1)
  .option('--out <dir>', 'the directory of the figures, the plot and the log', '.cache/soak');

try {
  const options = parseCommandLine<SoakOptions>(command, process.argv.slice(2));
  if (options) await run(options);
} catch (error) {
  if (!(error instanceof OperatorError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

async function run({ minutes, rate, seed, out }: SoakOptions): Promise<void> {
  mkdirSync(out, { recursive: true });
  const progress = (line: string) => console.error(line);
  const report = await soak({ minutes, ratePerSecond: rate, seed, directory: out, progress });
  writeFileSync(join(out, 'soak.json'), `${JSON.stringify(report, undefined, 1)}\n`);
  writeFileSync(join(out, 'soak.svg'), reportPlot(report));
  console.log(reportText(report));
  if (Object.values(report.violations).some((count) => count > 0)) process.exitCode = 1;
}

function upTo(option: string, most: number) {
  return (text: string): number => {
    const value = Number(text);
    if (text !== '' && value > 0 && value <= most) return value;
    throw new InvalidValueError(option, text, `a number above 0, up to ${most}`);
  };
}
