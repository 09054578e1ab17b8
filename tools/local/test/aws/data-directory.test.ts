import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { temporaryDirectoryOfEachTest } from '../../../../test/helpers/temporary-directory.ts';
import { openDataDirectory } from '../../aws/data-directory.ts';

const parent = temporaryDirectoryOfEachTest();

describe('data directory', () => {
  it.each(['a new', 'an existing'])('lets only this user read %s directory', (which) => {
    const path = join(parent.path, 'deep/data');
    if (which === 'an existing') mkdirSync(path, { mode: 0o755, recursive: true });

    openDataDirectory(path)[Symbol.dispose]();

    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it.each([
    ['below a file', 'file/data', /ENOTDIR/],
    ['whose lock is no database', '', /not a database/],
  ])('reports why a directory %s cannot be used', (_, name, reason) => {
    writeFileSync(join(parent.path, 'file'), '');
    writeFileSync(join(parent.path, 'lock.sqlite'), 'x'.repeat(4_096));

    const opening = () => openDataDirectory(join(parent.path, name));

    expect(opening).toThrow(reason);
    expect(opening).toThrow(/^the directory .* cannot be used \(.*\): name another directory$/);
  });
});
