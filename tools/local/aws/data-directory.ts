import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { OperatorError } from '../../shared/errors.ts';

// SQLite's code SQLITE_BUSY, which means that another connection has locked the file.
const sqliteBusy = 5;

/**
 * Creates or opens a directory for data that outlives a run. Only this user can read it. Only one process at a time can
 * open it: it is locked by a transaction on an empty database in the directory, which also works between containers that
 * share only the directory. The system releases the lock when the process ends in any way.
 *
 * @returns the lock
 * @throws OperatorError if the directory cannot be used, or another process has opened it
 */
export function openDataDirectory(path: string): Disposable {
  try {
    mkdirSync(path, { recursive: true });
    chmodSync(path, 0o700);
    const lock = new DatabaseSync(join(path, 'lock.sqlite'));
    // The transaction writes nothing, so it needs no journal on the disk.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (cause) {
    const { errcode, message } = cause as Error & { readonly errcode?: number };
    const problem =
      errcode === sqliteBusy
        ? 'is in use by another local run: stop that run, or name another directory'
        : `cannot be used (${message}): name another directory`;
    throw new OperatorError(`the directory ${path} ${problem}`, { cause });
  }
}
