import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { parseCommandLine } from '../../shared/command-line.ts';
import { OperatorError } from '../../shared/errors.ts';
import type { SoakReport } from '../adversity/soak/report.ts';
import { type Break, breaks } from './breaks.ts';

/*
 * `npm run breaks` breaks each property of `breaks.ts` in a copy of the tree, and exits with 1 when
 * the test that is named there does not notice.
 */

const root = join(import.meta.dirname, '../..');
const copy = join(root, '.cache/breaks');
const longest = '10m';
/** A broken property fails with most seeds, and each failure is tried again on a busy machine. */
const faultSeeds = 40;

const command = new Command('npm run breaks --')
  .description('Breaks the code on purpose, and tells which tests notice.')
  .option('--only <text>', 'the properties that contain this text', '');

try {
  const options = parseCommandLine<{ only: string }>(command, process.argv.slice(2));
  if (options) run(breaks.filter(({ property }) => property.includes(options.only)));
} catch (error) {
  if (!(error instanceof OperatorError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

function run(selected: readonly Break[]): void {
  copyTree();
  const unnoticed = selected.filter((each) => {
    const isNoticed = notices(each);
    console.log(`${isNoticed ? 'noticed ' : 'UNNOTICED'} ${each.property} (${testOf(each)})`);
    return !isNoticed;
  });
  rmSync(copy, { recursive: true });
  if (unnoticed.length > 0 || selected.length === 0) process.exitCode = 1;
}

function copyTree(): void {
  rmSync(copy, { recursive: true, force: true });
  const { stdout } = spawnSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  for (const file of stdout.split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
}

/** Whether the test of a property fails, and not merely cannot run, when the property is broken. */
function notices({ file, code, replacement, command: [script = '', ...rest] }: Break): boolean {
  const path = join(copy, file);
  const original = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    original.replace(code, () => replacement),
  );
  const isSoak = script === 'soak';
  const results = join(copy, 'results.json');
  rmSync(results, { force: true });
  const report = isSoak ? ['--out', copy] : ['--json', `--outputFile=${results}`];
  // `timeout` ends what npm has started as well.
  spawnSync('timeout', [longest, 'npm', 'run', script, ...rest, ...report], {
    cwd: copy,
    env: { ...process.env, FAULT_SEEDS: String(faultSeeds) },
    stdio: 'ignore',
  });
  writeFileSync(path, original);
  return isSoak ? hasViolation() : hasFailedTest(results);
}

function hasFailedTest(results: string): boolean {
  if (!existsSync(results)) return false;
  const run = JSON.parse(readFileSync(results, 'utf8'));
  // An error outside of a test ends its file, which has then passed some. A file that cannot be
  // loaded has passed none.
  const hasEnded = run.numRuntimeErrorTestSuites > 0 && run.numPassedTests > 0;
  return run.numFailedTests > 0 || hasEnded;
}

function hasViolation(): boolean {
  const report = join(copy, 'soak.json');
  if (!existsSync(report)) return false;
  const { violations }: Pick<SoakReport, 'violations'> = JSON.parse(readFileSync(report, 'utf8'));
  return Object.values(violations).some((count) => count > 0);
}

function testOf({ command: parts }: Break): string {
  return `npm run ${parts.join(' ')}`;
}
