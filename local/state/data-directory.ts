import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalRunError } from '../template/local-run-error.ts';

/** A directory that keeps what a run leaves behind, and belongs to one process at a time. */
export interface DataDirectory {
  readonly path: string;
  /** Path of a file in the directory. */
  pathOf(name: string): string;
  /**
   * Parsed JSON of a file in the directory; undefined when there is no such file.
   *
   * @throws LocalRunError when it cannot be read, or is not what it should be
   */
  read<T>(name: string, kept: Kept<T>): T | undefined;
  /**
   * Writes a file as a whole or not at all, also when the process is killed meanwhile. Only this
   * user can read it.
   *
   * @throws LocalRunError when it cannot be written: what was there before still is
   */
  write(name: string, value: unknown): void;
  /** Lets another process have the directory. */
  release(): Promise<void>;
}

/** What a file is expected to hold. */
export interface Kept<T> {
  readonly isValid: (value: unknown) => value is T;
  /** What to do about a file that is damaged, such as `remove it`. */
  readonly remedy: string;
}

const directoryMode = 0o700;
const fileMode = 0o600;
const temporaryName = /\.[0-9a-f]{16}\.new$/;

/**
 * Creates a data directory or opens an existing one. Only this user can look into it.
 *
 * @throws LocalRunError when it cannot be written, or another process uses it
 */
export async function openDataDirectory(path: string): Promise<DataDirectory> {
  makeDirectory(path);
  const lock = await acquireLock(realpathSync(path), path);
  removeLeftovers(path);
  return {
    path,
    pathOf: (name) => join(path, name),
    read: (name, kept) => readWhole(join(path, name), kept),
    write: (name, value) => writeWhole(join(path, name), JSON.stringify(value)),
    release: async () => {
      lock.close();
      await once(lock, 'close');
    },
  };
}

function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: directoryMode });
    // It may have been there before, open to others.
    chmodSync(path, directoryMode);
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new LocalRunError(`the directory ${path} cannot be used (${reason}): name another`, {
      cause,
    });
  }
}

/**
 * The lock is a local socket that listens: the system takes it away from a process that ends in
 * whatever way, which a file with a process id in it would survive.
 */
async function acquireLock(realPath: string, path: string): Promise<Server> {
  const name = `local-run-${createHash('sha256').update(realPath).digest('hex').slice(0, 24)}`;
  const address = socketAddress(name);
  try {
    return await listen(address);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
  }
  const isStale = process.platform === 'darwin' && !(await answers(address));
  if (!isStale) {
    throw new LocalRunError(
      `the directory ${path} is in use by another local run: stop that, or name another`,
    );
  }
  rmSync(address, { force: true });
  return await listen(address);
}

// On Linux an abstract socket, on Windows a named pipe: neither leaves a file behind.
function socketAddress(name: string): string {
  if (process.platform === 'linux') return `\0${name}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`;
  return join(tmpdir(), `${name}.sock`);
}

async function listen(address: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy()).listen(address);
  await once(server, 'listening');
  server.unref();
  return server;
}

async function answers(address: string): Promise<boolean> {
  const socket = connect(address);
  return once(socket, 'connect').then(
    () => {
      socket.destroy();
      return true;
    },
    () => false,
  );
}

function readWhole<T>(file: string, { isValid, remedy }: Kept<T>): T | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (isValid(value)) return value;
    throw new TypeError('it is not what a run writes');
  } catch (cause) {
    const reason = (cause as Error).message.replaceAll(/\s+/g, ' ');
    throw new LocalRunError(`the file ${file} is damaged (${reason}): ${remedy}`, { cause });
  }
}

/** What runs have left that were killed while they wrote. */
function removeLeftovers(path: string): void {
  for (const name of readdirSync(path)) {
    if (temporaryName.test(name)) rmSync(join(path, name), { force: true });
  }
}

function writeWhole(file: string, text: string): void {
  // Nobody can have put a link there: the name is not known, and is refused where it exists.
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
