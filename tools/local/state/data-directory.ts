import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { LocalRunError } from '../template/local-run-error.ts';
import { type DirectoryLock, lockDirectory, lockFile } from './directory-lock.ts';

/** A directory with the data that outlives a run. One process at a time can open it. */
export interface DataDirectory {
  readonly path: string;
  /** The path of a file in the directory. */
  pathOf(name: string): string;
  /**
   * Reads a JSON file in the directory; undefined when there is no such file.
   *
   * @throws LocalRunError when the file cannot be read or does not have the expected format
   */
  read<T>(name: string, format: FileFormat<T>): T | undefined;
  /**
   * Writes a file atomically, even if the process is killed meanwhile. Only this user can read it.
   *
   * @throws LocalRunError when it cannot be written; then the file's previous content remains
   */
  write(name: string, value: unknown): void;
  /** Closes the directory, so that another process can open it. */
  release(): Promise<void>;
}

/** The expected format of a file. */
export interface FileFormat<T> {
  readonly isValid: (value: unknown) => value is T;
  /** Tells the user what to do about a damaged file, such as `remove it`. */
  readonly remedy: string;
}

const directoryMode = 0o700;
const fileMode = 0o600;
const temporaryName = /\.[0-9a-f]{16}\.new$/;

/**
 * Creates a data directory or opens an existing one. Only this user can read it.
 *
 * @throws LocalRunError when the directory cannot be written, or another process has opened it
 */
export async function openDataDirectory(path: string): Promise<DataDirectory> {
  makeDirectory(path);
  const lock = acquireLock(path);
  removeLeftovers(path);
  return {
    path,
    pathOf: (name) => join(path, name),
    read: (name, format) => readWhole(join(path, name), format),
    write: (name, value) => writeWhole(join(path, name), JSON.stringify(value)),
    release: async () => lock.release(),
  };
}

function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: directoryMode });
    // `mkdir` does not change the mode of a directory that exists already.
    chmodSync(path, directoryMode);
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new LocalRunError(`the directory ${path} cannot be used (${reason}): name another`, {
      cause,
    });
  }
}

function acquireLock(path: string): DirectoryLock {
  let lock: DirectoryLock | undefined;
  try {
    lock = lockDirectory(path);
  } catch (cause) {
    throw new LocalRunError(
      `the directory ${path} cannot be locked (${lockFile}: ${(cause as Error).message}): name another`,
      { cause },
    );
  }
  if (lock) return lock;
  throw new LocalRunError(
    `the directory ${path} is in use by another local run: stop that, or name another`,
  );
}

function readWhole<T>(file: string, { isValid, remedy }: FileFormat<T>): T | undefined {
  if (!existsSync(file)) return undefined;
  try {
    // Reading a pipe would wait for its writer.
    if (!statSync(file).isFile()) throw new TypeError('it is no file');
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (isValid(value)) return value;
    throw new TypeError('it does not have the format that a run writes');
  } catch (cause) {
    const reason = (cause as Error).message.replaceAll(/\s+/g, ' ');
    throw new LocalRunError(`the file ${file} is damaged (${reason}): ${remedy}`, { cause });
  }
}

/** Removes temporary files of runs that were killed while they wrote. */
function removeLeftovers(path: string): void {
  for (const name of readdirSync(path)) {
    if (temporaryName.test(name)) rmSync(join(path, name), { recursive: true });
  }
}

function writeWhole(file: string, text: string): void {
  // Nobody can prepare a link at this path: its name is random, and an existing file is an error.
  const temporary = `${file}.${randomBytes(8).toString('hex')}.new`;
  try {
    writeSynced(temporary, text);
    renameSync(temporary, file);
  } catch (cause) {
    rmSync(temporary, { force: true });
    const { code, message } = cause as NodeJS.ErrnoException;
    const isOutOfFiles = code === 'EMFILE' || code === 'ENFILE';
    const remedy = isOutOfFiles
      ? 'close connections, or allow more open files (ulimit -n)'
      : 'make room on its disk, or name another directory';
    throw new LocalRunError(`the file ${file} cannot be written (${message}): ${remedy}`, {
      cause,
    });
  }
}

function writeSynced(path: string, text: string): void {
  const descriptor = openSync(path, 'wx', fileMode);
  try {
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
