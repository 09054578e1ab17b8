import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a directory and the missing ones above it. An existing directory stays as it is.
 *
 * Node's recursive `mkdir` never returns where a file system says `ENOENT` although the directory above
 * exists, as below `/proc`: it creates that one and tries again, without an end.
 *
 * @param mode the permissions of each directory that is created
 * @throws Error of the file system, when something else is at the path or it cannot be created
 */
export function makeDirectory(path: string, mode?: number): void {
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) makeDirectory(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (!isDirectory(path)) throw error;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
