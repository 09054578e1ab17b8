import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { differences } from './helpers/differences.ts';
import { temporaryDirectoryOfFile } from './helpers/temporary-directory.ts';

const directory = temporaryDirectoryOfFile();

/** Runs the script with an `npm` that is made up. @param failing the command that fails */
function nightly(parameters: string[], failing = 'none') {
  const npm = `echo "$ADVERSITY $*" >> '${directory.path}/commands'; case "$*" in *${failing}*) exit 3;; esac`;
  directory.write('commands', '');
  chmodSync(directory.write('npm', `#!/usr/bin/env bash\n${npm}\n`), 0o755);
  const { status, stdout } = spawnSync('bash', ['.ci/nightly', ...parameters], {
    env: { PATH: [directory.path, dirname(process.execPath), process.env.PATH].join(':') },
    encoding: 'utf8',
  });
  const commands = readFileSync(join(directory.path, 'commands'), 'utf8');
  return { exitCode: status, commands, lines: stdout.trim().split('\n') };
}

describe('the nightly run', () => {
  const parts = nightly(['--list']).lines;

  it('runs every part, and ends with a line for each', () => {
    const { exitCode, lines } = nightly([]);

    expect(exitCode).toBe(0);
    const results = lines.slice(-parts.length).map((line) => line.replace(/\d+ s$/, 'n s'));
    expect(results).toEqual(parts.map((part) => `${part}: passed, n s`));
  });

  it('goes on after a part that fails, and fails', () => {
    const { exitCode, lines } = nightly([], 'soak');

    expect(exitCode).toBe(1);
    expect(lines.filter((line) => /: failed with 3, \d+ s$/.test(line))).toHaveLength(1);
    expect(lines.at(-1)).toMatch(/^mutation: passed/);
  });

  it('runs the parts that it is told, with the tests in their long form', () => {
    const { commands } = nightly(['faults']);

    expect(commands).toBe('nightly run test:adversity -- test/adversity/faults\n');
  });

  it('fails for a part that does not exist', () => {
    expect(nightly(['sleep']).exitCode).toBe(1);
  });

  it('is what the workflow runs, part by part', () => {
    const { jobs } = parse(readFileSync('.github/workflows/nightly.yml', 'utf8'));

    expect(
      differences(
        ['.ci/nightly', parts],
        ['.github/workflows/nightly.yml, matrix', jobs.nightly.strategy.matrix.part],
      ),
    ).toEqual([]);
  });
});
