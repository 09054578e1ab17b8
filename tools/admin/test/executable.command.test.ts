import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { temporaryDirectoryOfEachTest } from '../../../test/helpers/temporary-directory.ts';

const root = join(import.meta.dirname, '../../..');
const directory = temporaryDirectoryOfEachTest();

/** Calls a program with the option `--version`, from another directory. */
function call(file: string, env: Record<string, string | undefined> = process.env) {
  const { status, stdout, stderr } = spawnSync(file, ['--version'], {
    cwd: directory.path,
    encoding: 'utf8',
    env,
  });
  return { status, stdout, stderr };
}

describe('./admin', () => {
  it('can be called from another directory by a link, and runs the Node of the packages', () => {
    const link = join(directory.path, 'store admin');
    symlinkSync(join(root, 'admin'), link);

    expect(call(link, { PATH: '/usr/bin:/bin' })).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    });
  });

  it.each([
    [
      'asks for npm ci if no packages are installed',
      [],
      /^error: .*run "npm ci" in .*copy of it\n$/,
    ],
    ['asks for a newer Node if there is only an older one', ['node_modules'], /^too old\n$/],
  ])('%s', (_, folders, message) => {
    const copy = join(directory.path, 'copy of it');
    for (const folder of ['', ...folders]) mkdirSync(join(copy, folder));
    copyFileSync(join(root, 'admin'), join(copy, 'admin'));
    chmodSync(directory.write('node', '#!/bin/sh\necho too old >&2; exit 1'), 0o755);

    const { status, stderr } = call(join(copy, 'admin'), {
      PATH: `${directory.path}:/usr/bin:/bin`,
    });

    expect(status).toBe(1);
    expect(stderr).toMatch(message);
  });
});
