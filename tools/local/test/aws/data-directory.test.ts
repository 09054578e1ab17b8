import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { temporaryDirectoryOfEachTest } from '../../../../test/helpers/temporary-directory.ts';
import { DataDirectory } from '../../aws/data-directory.ts';

const parent = temporaryDirectoryOfEachTest();
let opened: DataDirectory[];

beforeEach(() => {
  opened = [];
});

afterEach(() => {
  for (const directory of opened) directory.release();
});

function open(path = join(parent.path, 'deep/data')): DataDirectory {
  const directory = new DataDirectory(path);
  opened.push(directory);
  return directory;
}

describe('data directory', () => {
  it('reads what was written, whatever an interrupted write has left, and undefined if there is no such file', () => {
    const directory = open();
    writeFileSync(directory.pathOf('a.json.new'), '"half of a longer text');

    directory.write('a.json', 'old');
    directory.write('a.json', 'new');

    expect(directory.read('a.json')).toBe('new');
    expect(directory.read('b.json')).toBeUndefined();
  });

  it.each(['a new', 'an existing'])('lets only this user read %s directory', (which) => {
    const path = join(parent.path, 'data');
    if (which === 'an existing') mkdirSync(path, { mode: 0o755 });

    open(path);

    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it.each([
    ['below a file', 'file/data', /ENOTDIR/],
    ['whose parent has no parent', 'a/b/c', /ENOENT/],
    ['whose lock is no database', 'data', /not a database/],
  ])('reports why a directory %s cannot be used', (_, name, reason) => {
    writeFileSync(join(parent.path, 'file'), '');
    mkdirSync(join(parent.path, 'data'));
    writeFileSync(join(parent.path, 'data/lock.sqlite'), 'x'.repeat(4_096));

    const opening = () => open(resolve(parent.path, name));

    expect(opening).toThrow(reason);
    expect(opening).toThrow(/^the directory .* cannot be used \(.*\): name another directory$/);
  });

  it('belongs to one run at a time until it is released, even under another name', () => {
    const first = open();
    const link = join(parent.path, 'link');
    symlinkSync(first.pathOf('.'), link);

    expect(() => open(link)).toThrow(
      `the directory ${link} is in use by another local run: stop that run, or name another directory`,
    );
    first.release();

    expect(() => open(link)).not.toThrow();
  });
});
