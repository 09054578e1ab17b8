import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { temporaryDirectoryOfEachTest } from '../../../test/helpers/temporary-directory.ts';

const root = join(import.meta.dirname, '../../..');
const directory = temporaryDirectoryOfEachTest();

/** Calls a program with the option `--version`, from another directory. */
function call(file: string, PATH: string) {
  const { status, stdout, stderr } = spawnSync(file, ['--version'], {
    cwd: directory.path,
    encoding: 'utf8',
    env: { PATH },
  });
  return { status, stdout, stderr };
}

describe('./admin', () => {
  it('can be called from another directory by a link', () => {
    const link = join(directory.path, 'store admin');
    symlinkSync(join(root, 'admin'), link);

    expect(call(link, '/usr/bin:/bin')).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    });
  });

  it.each([
    ["the machine's Node if that is 24 or later", 'v24.0.0', 'machine'],
    ['the Node of the packages otherwise', 'v23.11.0', 'packaged'],
  ])('runs %s', (_, version, used) => {
    const copy = copyOfAdmin();
    mkdirSync(join(copy, 'tools/admin'), { recursive: true });
    mkdirSync(join(directory.path, 'node_modules/.bin'), { recursive: true });
    program('node', `[ "$1" = --version ] && echo ${version} || echo machine`);
    program('node_modules/.bin/node', 'echo packaged');

    expect(call(join(copy, 'admin'), `${directory.path}:/usr/bin:/bin`).stdout).toBe(`${used}\n`);
  });

  it('says in a line that the tools were deleted', () => {
    const { status, stderr } = call(join(copyOfAdmin(), 'admin'), '/usr/bin:/bin');

    expect(status).toBe(1);
    expect(stderr).toMatch(/^error: .*\n$/);
  });
});

/** Copies ./admin below a folder that has packages, as in a monorepo. @returns the path */
function copyOfAdmin(): string {
  const copy = join(directory.path, 'copy of it');
  mkdirSync(copy);
  copyFileSync(join(root, 'admin'), join(copy, 'admin'));
  return copy;
}

function program(name: string, script: string): void {
  chmodSync(directory.write(name, `#!/bin/sh\n${script}\n`), 0o755);
}
