import { createHash, randomBytes } from 'node:crypto';
import { open, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OperatorError, quoted, reasonOf } from '../../shared/errors.ts';
import type { TextPosition } from '../../shared/json-array.ts';
import { makeDirectory } from '../../shared/make-directory.ts';
import type { LoadCounts } from './load-orders.ts';

/** The progress of an import, which is stored until the import is complete. */
export interface Checkpoint {
  readonly file: FileIdentity;
  /** DynamoDB's id of the table, which changes when the table is deleted and created again. */
  readonly tableId: string;
  /** Whether the whole file has been read before and has no bad line. */
  readonly isChecked: boolean;
  readonly counts: LoadCounts;
  readonly end: TextPosition;
  /** An order before `end`. If it is not in the table, the checkpoint is invalid. */
  readonly orderId?: string;
}

/** The identity of a file and of its content: it changes when the file is edited. */
export interface FileIdentity {
  readonly path: string;
  readonly size: number;
  readonly modifiedMs: number;
  /** The SHA-256 of the first 64 KiB, in hexadecimal. */
  readonly head: string;
}

const headBytes = 65_536;

/** Identifies a file. @throws OperatorError when it cannot be read or is not a regular file */
export async function identifyFile(path: string): Promise<FileIdentity> {
  try {
    const { size, mtimeMs, isFile } = await statOf(path);
    if (!isFile) throw new OperatorError('reading on at a place requires one');
    return { path: await realpath(path), size, modifiedMs: mtimeMs, head: await hashHead(path) };
  } catch (error) {
    throw new OperatorError(`file: ${quoted(path)} is not accepted`, {
      cause: error,
      remedy: `expected a regular file of orders (${reasonOf(error)})`,
    });
  }
}

/** The checkpoint of one file's import into one table. */
export class CheckpointFile {
  readonly path: string;

  /** @param target distinguishes this table from tables of other services with the same name */
  constructor(stateDirectory: string, filePath: string, target: string) {
    const name = createHash('sha256').update(`${filePath}\n${target}`).digest('hex').slice(0, 24);
    this.path = join(stateDirectory, `import-${name}.json`);
  }

  /** Reads the checkpoint; undefined when there is none, or the file or table is another one. */
  async read(file: FileIdentity, tableId: string): Promise<Checkpoint | undefined> {
    const text = await readFile(this.path, 'utf8').catch(() => '');
    const checkpoint = parse(text);
    if (!checkpoint || checkpoint.tableId !== tableId) return undefined;
    return JSON.stringify(checkpoint.file) === JSON.stringify(file) ? checkpoint : undefined;
  }

  /** Replaces the checkpoint atomically, so that an interrupted write keeps the previous one. */
  async write(checkpoint: Checkpoint): Promise<void> {
    makeDirectory(dirname(this.path), 0o700);
    // Nobody can prepare a link at this path: its name is random, and an existing file is an error.
    const next = `${this.path}.${randomBytes(8).toString('hex')}`;
    await writeFile(next, `${JSON.stringify(checkpoint)}\n`, { flag: 'wx', mode: 0o600 });
    await rename(next, this.path);
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
  }
}

function parse(text: string): Checkpoint | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function statOf(path: string) {
  const stats = await stat(path);
  return { size: stats.size, mtimeMs: stats.mtimeMs, isFile: stats.isFile() };
}

async function hashHead(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return createHash('sha256').update(buffer.subarray(0, bytesRead)).digest('hex');
  } finally {
    await file.close();
  }
}
