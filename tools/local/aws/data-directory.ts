import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LocalRunError } from './errors.ts';

const directoryMode = 0o700;
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

  /** Reads a file; undefined if it is missing. */
  read<T>(name: string): T | undefined {
    const file = this.pathOf(name);
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  }

  /** Replaces a whole file. If the process is killed before, the old file stays as it is. */
  write(name: string, value: unknown): void {
    const temporary = this.pathOf(`${name}.new`);
    writeFileSync(temporary, JSON.stringify(value), { flush: true });
    renameSync(temporary, this.pathOf(name));
  }

  release(): void {
    this.#lock[Symbol.dispose]();
  }
}

/**
 * Locks a directory by a transaction on an empty database in the directory. The lock also works between containers that
 * share only the directory. The system releases the lock when the process ends in any way.
 */
function lockDirectory(path: string): DatabaseSync {
  try {
    for (const each of [dirname(path), path]) {
      if (!existsSync(each)) mkdirSync(each, { mode: directoryMode });
    }
    // Needed if the directory exists.
    chmodSync(path, directoryMode);
    const database = new DatabaseSync(join(path, 'lock.sqlite'));
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
