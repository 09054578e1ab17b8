import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LocalRunError } from './errors.ts';

const directoryMode = 0o700;
const lockFile = 'lock.sqlite';
// SQLITE_BUSY: another connection has locked the file.
const sqliteBusy = 5;

/** A directory for data that outlives a run. Only this user can read it, and only one process at a time can open it. */
export class DataDirectory {
  readonly #path: string;
  readonly #lock: DatabaseSync;

  /** Creates or opens a directory. @throws LocalRunError if it cannot be used, or if another process has opened it */
  constructor(path: string) {
    this.#path = path;
    this.#lock = lockDirectory(path);
  }

  pathOf(name: string): string {
    return join(this.#path, name);
  }

  /** Reads a file; undefined if it is missing. @throws LocalRunError with the given remedy if the file is damaged */
  read<T>(name: string, remedy: string): T | undefined {
    const file = this.pathOf(name);
    if (!existsSync(file)) return undefined;
    try {
      return JSON.parse(readFileSync(file, 'utf8'));
    } catch (cause) {
      const reason = (cause as Error).message.replaceAll(/\s+/g, ' ');
      throw new LocalRunError(`the file ${file} is damaged (${reason}): ${remedy}`, { cause });
    }
  }

  /** Replaces a whole file. If the process is killed before, the old file stays as it is. @throws LocalRunError */
  write(name: string, value: unknown): void {
    const file = this.pathOf(name);
    const temporary = `${file}.new`;
    try {
      writeFileSync(temporary, JSON.stringify(value), { flush: true });
      renameSync(temporary, file);
    } catch (cause) {
      const reason = (cause as Error).message;
      throw new LocalRunError(
        `the file ${file} cannot be written (${reason}): free space on its disk, or name another directory`,
        { cause },
      );
    }
  }

  release(): void {
    if (this.#lock.isOpen) this.#lock.close();
  }
}

/**
 * Locks a directory by a transaction on an empty database in the directory. The lock also works between containers that
 * share only the directory. The system releases the lock when the process ends in any way.
 */
function lockDirectory(path: string): DatabaseSync {
  try {
    mkdirSync(path, { recursive: true, mode: directoryMode });
    // Needed if the directory exists, because `mkdir` does not change its mode.
    chmodSync(path, directoryMode);
    const database = new DatabaseSync(join(path, lockFile));
    // The transaction writes nothing, so it needs no journal on the disk.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return database;
  } catch (cause) {
    const { errcode, message } = cause as Error & { readonly errcode?: number };
    const problem =
      errcode === sqliteBusy
        ? 'is in use by another local run: stop that run, or name another directory'
        : `cannot be used (${message}): name another directory`;
    throw new LocalRunError(`the directory ${path} ${problem}`, { cause });
  }
}
