import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createRunDirectory, type RunDirectory } from '../../demo/run-directory.ts';
import { lockDirectory } from '../../local/state/directory-lock.ts';
import { temporaryDirectoryOfEachTest } from '../helpers/temporary-directory.ts';

const parent = temporaryDirectoryOfEachTest();
const created: RunDirectory[] = [];
const create = () => {
  const directory = createRunDirectory(parent.path);
  created.push(directory);
  return directory;
};

afterEach(() => {
  for (const directory of created.splice(0)) directory.remove();
});

describe('the directory of a run', () => {
  it('is its own, also where another run has the same process id', () => {
    const [one, other] = [create(), create()];

    expect(one.path).not.toBe(other.path);
    expect(basename(one.path)).toMatch(new RegExp(`^${process.pid}-`));
  });

  it('stays as long as its run goes on, whoever else starts', () => {
    const one = create();
    writeFileSync(join(one.path, 'bundle'), '');

    create();

    expect(existsSync(join(one.path, 'bundle'))).toBe(true);
  });

  it('is gone after the next start when its run has ended without removing it', () => {
    const path = join(parent.path, '1-ended');
    mkdirSync(join(path, 'deep'), { recursive: true });
    lockDirectory(path)!.release();

    create();

    expect(existsSync(path)).toBe(false);
  });

  it('is gone when it is removed', () => {
    create().remove();

    expect(readdirSync(parent.path)).toEqual([]);
  });

  it('is made beside what is no directory of a run', () => {
    writeFileSync(join(parent.path, 'file'), '');

    create();

    expect(readdirSync(parent.path)).toContain('file');
  });
});
