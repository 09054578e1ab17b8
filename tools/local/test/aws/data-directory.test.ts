import { chmodSync, statSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { temporaryDirectoryOfEachTest } from '../../../../test/helpers/temporary-directory.ts';
import { openDataDirectory } from '../../aws/data-directory.ts';

const parent = temporaryDirectoryOfEachTest();

/* start.command.test.ts tests that only one run can use a directory. */

it('only this user can read a data directory, also one that existed', () => {
  chmodSync(parent.path, 0o755);

  openDataDirectory(parent.path)[Symbol.dispose]();

  expect(statSync(parent.path).mode & 0o777).toBe(0o700);
});

it('a data directory that cannot be used is reported with the reason and the remedy', () => {
  const file = parent.write('file', '');

  expect(() => openDataDirectory(`${file}/data`)).toThrow(
    /^the directory .* cannot be used \(ENOTDIR.*\): name another directory$/,
  );
});
