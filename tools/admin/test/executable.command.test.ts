import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { serve } from '../../../test/helpers/loopback-server.ts';
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
    ["the machine's Node if that is 24 or later and runs TypeScript", '24.0.0', 'strip', 'machine'],
    ['the Node of the packages if that is older', '22.18.0', 'strip', 'packaged'],
    ['the Node of the packages if that runs no TypeScript', '24.0.0', false, 'packaged'],
  ])('runs %s', (_, node, typescript, used) => {
    const copy = copyOfAdmin();
    mkdirSync(join(copy, 'tools/admin'), { recursive: true });
    mkdirSync(join(directory.path, 'node_modules/.bin'), { recursive: true });
    const process = JSON.stringify({ versions: { node }, features: { typescript } });
    const evaluated = `'${execPath}' -p "process = ${process.replaceAll('"', "'")}; $2"`;
    program('node', `[ "$1" = -p ] && exec ${evaluated} || echo machine`);
    program('node_modules/.bin/node', 'echo packaged');

    expect(call(join(copy, 'admin'), `${directory.path}:/usr/bin:/bin`).stdout).toBe(`${used}\n`);
  });

  it('ends at Ctrl+C with exit code 5, although a service does not answer', async () => {
    await using silent = await serve(() => {
      admin.kill('SIGINT');
    });
    const words = ['owners', 'list', '--local', silent.url];
    const admin = spawn(join(root, 'admin'), words, { stdio: ['ignore', 'ignore', 'pipe'] });
    const stderr = text(admin.stderr);

    expect(await once(admin, 'exit')).toEqual([5, null]);
    expect(await stderr).toBe('error: interrupted; run the command again\n');
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
