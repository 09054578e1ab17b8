import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { makeDirectory } from '../../shared/make-directory.ts';
import { temporaryDirectoryOfEachTest } from '../helpers/temporary-directory.ts';

const parent = temporaryDirectoryOfEachTest();

describe('makeDirectory', () => {
  it('creates the directory and those above it, with the given permissions', () => {
    const path = join(parent.path, 'a/b');

    makeDirectory(path, 0o700);

    expect([path, join(path, '..')].map((each) => statSync(each).mode & 0o777)).toEqual([
      0o700, 0o700,
    ]);
  });

  it('leaves a directory as it is', () => {
    mkdirSync(join(parent.path, 'a'), { mode: 0o755 });

    makeDirectory(join(parent.path, 'a'), 0o700);

    expect(statSync(join(parent.path, 'a')).mode & 0o777).toBe(0o755);
  });

  it.each([
    ['a file', 'file', 'EEXIST'],
    ['a path below a file', 'file/a', 'ENOTDIR'],
    ['a link to nothing', 'link', 'EEXIST'],
  ])('refuses %s', (_, name, code) => {
    writeFileSync(join(parent.path, 'file'), '');
    symlinkSync(join(parent.path, 'nothing'), join(parent.path, 'link'));

    expect(() => makeDirectory(join(parent.path, name))).toThrow(code);
    expect(existsSync(join(parent.path, 'nothing'))).toBe(false);
  });

  // In a process of its own, because it would never return if it did not give up.
  it('gives up below a directory in which nothing can be created', () => {
    const module = JSON.stringify(new URL('../../shared/make-directory.ts', import.meta.url).href);
    const code = `const { makeDirectory } = await import(${module});
      try { makeDirectory('/proc/store-orders/data'); } catch (error) { console.log(error.code); }`;

    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      timeout: 10_000,
      encoding: 'utf8',
    });

    expect(stdout).toMatch(/^E[A-Z]+\n$/);
  });
});
