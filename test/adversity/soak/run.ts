import { mkdirSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { parseCommandLine } from '../../../shared/command-line.ts';
import { InvalidValueError, OperatorError } from '../../../shared/errors.ts';
import { reportPlot, reportText } from './report.ts';
import { soak } from './soak.ts';

/*
 * `npm run soak -- --minutes 10` writes the figures and a plot to `.cache/soak`, and exits with 1 when
 * an invariant was violated. SIGINT and SIGTERM end it early, with the report so far, and with 128 and
 * the signal's number.
 */

interface SoakOptions {
  readonly minutes: number;
  readonly rate: number;
  readonly seed: number;
  readonly out: string;
  readonly faults: boolean;
}

const maxMinutes = 24 * 60;
const maxRatePerSecond = 1_000;

const command = new Command('npm run soak --')
  .description('Runs the local service under load, with phases of faults, and checks invariants.')
  .usage('[--minutes N] [--rate N] [--seed N] [--no-faults] [--out DIR]')
  .option('--minutes <n>', 'how long', upTo('--minutes', maxMinutes), 2)
  .option('--rate <n>', 'requests a second', upTo('--rate', maxRatePerSecond), 40)
  .option('--seed <n>', 'determines the faults and the load', upTo('--seed', 2 ** 31), 1)
  .option('--no-faults', 'the load alone, which the service answers as fast as it can')
  .option('--out <dir>', 'the directory of the figures, the plot and the log', '.cache/soak');

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => stopping.abort(signal));

try {
  const options = parseCommandLine<SoakOptions>(command, process.argv.slice(2));
  if (options) await run(options);
} catch (error) {
  if (!(error instanceof OperatorError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

async function run({ minutes, rate, seed, faults, out }: SoakOptions): Promise<void> {
  mkdirSync(out, { recursive: true });
  const progress = (line: string) => console.error(line);
  const { signal } = stopping;
  const settings = { minutes, ratePerSecond: rate, seed, hasFaults: faults, directory: out };
  const report = await soak({ ...settings, progress, signal });
  writeFileSync(join(out, 'soak.json'), `${JSON.stringify(report, undefined, 1)}\n`);
  writeFileSync(join(out, 'soak.svg'), reportPlot(report));
  console.log(reportText(report));
  if (Object.values(report.violations).some((count) => count > 0)) process.exitCode = 1;
  if (signal.aborted) process.exitCode = 128 + constants.signals[signal.reason as NodeJS.Signals];
}

function upTo(option: string, most: number) {
  return (text: string): number => {
    const value = Number(text);
    if (text !== '' && value > 0 && value <= most) return value;
    throw new InvalidValueError(option, text, `a number above 0, up to ${most}`);
  };
}
