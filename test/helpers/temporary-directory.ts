import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach } from '@jest/globals';

export interface TemporaryDirectory {
  readonly path: string;
  /** Writes a file and returns its path. */
  write(name: string, text: string | Buffer): string;
  remove(): void;
}

export function temporaryDirectory(parent = tmpdir()): TemporaryDirectory {
  const path = mkdtempSync(join(parent, 'service-test-'));
  return {
    path,
    write: (name, text) => {
      writeFileSync(join(path, name), text);
      return join(path, name);
    },
    remove: () => rmSync(path, { recursive: true }),
  };
}

/** Creates a directory that is removed after the tests of the calling file. */
export function temporaryDirectoryOfFile(): TemporaryDirectory {
  const directory = temporaryDirectory();
  afterAll(() => directory.remove());
  return directory;
}

/** Like `temporaryDirectoryOfFile`, but in the repository, where modules find the installed packages. */
export function moduleDirectoryOfFile(): TemporaryDirectory {
  const parent = join(import.meta.dirname, '../../.cache');
  mkdirSync(parent, { recursive: true });
  const directory = temporaryDirectory(parent);
  afterAll(() => directory.remove());
  return directory;
}

/** Gives each test of the calling file an empty directory. It can be used in tests and hooks only. */
export function temporaryDirectoryOfEachTest(): TemporaryDirectory {
  const directory = {} as TemporaryDirectory;
  beforeEach(() => {
    Object.assign(directory, temporaryDirectory());
  });
  afterEach(() => directory.remove());
  return directory;
}
