import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** The name of the file by which a directory is locked. */
export const lockFile = 'lock.sqlite';

/** A directory that this process has locked. */
export interface DirectoryLock {
  release(): void;
}

const fileMode = 0o600;
/** SQLite's result code for a lock that somebody else has. */
const sqliteBusy = 5;

/** The locks that are held. A database that nothing refers to would be closed, and its lock released. */
const held = new Set<DatabaseSync>();

/**
 * Locks a directory by a transaction on a database in it, which stays empty. SQLite locks a file of the
 * disk, so the lock also holds for a container that shares nothing but the directory. The system
 * releases it when the process ends in any way, whereas a file with a process id would remain.
 *
 * @returns undefined when somebody else has locked the directory
 * @throws Error when it cannot be locked
 */
export function lockDirectory(directory: string): DirectoryLock | undefined {
  const file = join(directory, lockFile);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file);
    chmodSync(file, fileMode);
    // Nothing is ever written, so no file is needed that would undo it.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    if ((error as { errcode?: number }).errcode === sqliteBusy) return undefined;
    throw error;
  }
  return hold(database);
}

function hold(database: DatabaseSync): DirectoryLock {
  held.add(database);
  return {
    release: () => {
      if (held.delete(database)) database.close();
    },
  };
}
