import { randomBytes } from 'node:crypto';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { InvalidValueError, OperatorError, reasonOf } from '../../shared/errors.ts';
import { failureOf } from '../stage/service-failure.ts';

/**
 * Refuses a path that is empty, is `-`, or exists and is not a file. Renaming the finished file would replace
 * `/dev/null` for the whole machine, and the reader of a pipe would wait forever.
 */
export async function refuseUnlessFile(option: string, path: string): Promise<void> {
  const present = await lstat(path).catch(() => undefined);
  if (!['', '-'].includes(path) && (!present || present.isFile())) return;
  throw new InvalidValueError(option, path, 'the path of a file; for a pipe, omit the option');
}

/** Writes a file that only this user can read. It appears when it is complete and on the disk. */
export async function writeWhole(
  path: string,
  write: (append: (text: string) => Promise<void>) => Promise<void>,
): Promise<void> {
  // Nobody can prepare a link here: the name is random, and an existing file is an error.
  const partial = `${path}.${randomBytes(8).toString('hex')}.partial`;
  try {
    {
      await using file = await open(partial, 'wx', 0o600);
      let writing = Promise.resolve();
      await write((text) => {
        writing = writing.then(() => file.appendFile(text));
        return writing;
      });
      await file.sync();
    }
    await rename(partial, path);
  } catch (error) {
    // An error of the removal would hide why the file was not written.
    await rm(partial, { force: true }).catch(() => {});
    if (error instanceof OperatorError || failureOf(error)) throw error;
    throw new OperatorError(`${path}: not written: ${reasonOf(error)}`, { cause: error });
  }
}
