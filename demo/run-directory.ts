import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type DirectoryLock, lockDirectory } from '../local/state/directory-lock.ts';
import { makeDirectory } from '../shared/make-directory.ts';

/** A directory for the files of one run. */
export interface RunDirectory {
  readonly path: string;
  /** Removes the directory. Without this, another run removes it after this process has ended. */
  remove(): void;
}

const maxAttempts = 3;

/**
 * Creates a directory for the files of this run, and removes those of processes that have ended.
 *
 * Each directory is locked by its process. Its name cannot tell whether the process is still running:
 * in containers that share the parent, other processes have the same ids.
 */
export function createRunDirectory(parent: string): RunDirectory {
  makeDirectory(parent, 0o700);
  for (const name of readdirSync(parent)) removeLeftover(join(parent, name));
  for (let attempt = 1; ; attempt++) {
    const path = mkdtempSync(join(parent, `${process.pid}-`));
    const lock = lockOf(path);
    // Until it is locked, another run can take the directory for what an ended process has left.
    const isKept = lock !== undefined && existsSync(path);
    // On a file system without locks, no run can lock a directory, and none removes another's.
    if (isKept || attempt === maxAttempts) return { path, remove: () => remove(path, lock) };
    remove(path, lock);
  }
}

function removeLeftover(path: string): void {
  const lock = lockOf(path);
  if (lock) remove(path, lock);
}

/** Undefined also for a directory that cannot be locked, such as another user's. */
function lockOf(path: string): DirectoryLock | undefined {
  try {
    return lockDirectory(path);
  } catch {
    return undefined;
  }
}

function remove(path: string, lock: DirectoryLock | undefined): void {
  rmSync(path, { recursive: true, force: true });
  lock?.release();
}
