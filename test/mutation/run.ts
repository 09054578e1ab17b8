import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, rmSync } from 'node:fs';
import { Command } from 'commander';
import { parseCommandLine } from '../../shared/command-line.ts';
import { OperatorError } from '../../shared/errors.ts';
import { type FileScore, readScores, scoreDifferences } from './mutants.ts';
import { filesOfThreads, testsOf } from './tests-of.ts';

/*
 * `npm run mutation -- --mutate 'lambdas/shared/*.ts'` changes each file, one place at a time, and
 * runs that file's tests against every change. It exits with 1 when fewer than 90 % of a file's
 * changes are noticed, or when one is not noticed and `survivors/` has no reason for it.
 */

interface MutationOptions {
  readonly mutate: string[];
}

const reportFile = '.cache/mutation/mutation.json';
const all = ['lambdas/**/*.ts', 'local/**/*.ts'];
const longestMs = 3_600_000;

const command = new Command('npm run mutation --')
  .description('Tells which changes of the code no test notices.')
  .option('--mutate <glob...>', 'the files to change', all);

try {
  const options = parseCommandLine<MutationOptions>(command, process.argv.slice(2));
  if (options) mutate(globSync(options.mutate).sort());
} catch (error) {
  if (!(error instanceof OperatorError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

function mutate(files: readonly string[]): void {
  mkdirSync('.cache/mutation', { recursive: true });
  const differences = files.flatMap((file) => {
    const scores = scoresOf(file);
    if (!scores) return failed(file);
    const found = scores.flatMap(scoreDifferences);
    for (const line of [...scores.map(lineOf), ...found.map(indented)]) console.log(line);
    return found;
  });
  if (differences.length > 0 || files.length === 0) process.exitCode = 1;
}

function failed(file: string): string[] {
  console.log(`   failed  ${file}: Stryker did not come to an end`);
  return [file];
}

/** Undefined where Stryker has not come to an end. */
function scoresOf(file: string): FileScore[] | undefined {
  const tests = testsOf(file);
  if (tests.length === 0) return [{ file, killed: 0, tried: 0, survivors: [] }];
  rmSync(reportFile, { force: true });
  // A lower priority leaves the processors to whoever waits for something.
  const coverage = filesOfThreads.has(file) ? 'off' : 'perTest';
  const parameters = ['run', '--mutate', file, '--coverageAnalysis', coverage];
  const { status } = spawnSync('nice', ['-n', '10', 'stryker', ...parameters], {
    env: { ...process.env, MUTATION_TESTS: tests.join(',') },
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: longestMs,
  });
  return status === 0 ? readScores(reportFile) : undefined;
}

function indented(line: string): string {
  return `           ${line}`;
}

function lineOf({ file, killed, tried, survivors }: FileScore): string {
  const share = tried === 0 ? 'no mutant' : `${((100 * killed) / tried).toFixed(1)} %`;
  const explained = survivors.filter(({ reason }) => reason !== undefined).length;
  return `${share.padStart(9)}  ${file}: ${killed} of ${tried} killed, ${explained} of ${survivors.length} survivors explained`;
}
