import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
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
  /** Parsed JSON of a file in the directory; undefined when there is no such file. */
  read<T>(name: string): T | undefined;
  /**
   * Writes a file as a whole or not at all, also when the process is killed meanwhile. Only this
   * user can read it.
   */
  write(name: string, value: unknown): void;
  /** Lets another process have the directory. */
  release(): Promise<void>;
}

/**
 * Creates a data directory or opens an existing one.
 *
 * @throws LocalRunError when it cannot be written, or another process uses it
 */
export async function openDataDirectory(path: string): Promise<DataDirectory> {
  makeDirectory(path);
  const lock = await acquireLock(realpathSync(path), path);
  return {
    path,
    pathOf: (name) => join(path, name),
    read: (name) => {
      const file = join(path, name);
      return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
    },
    write: (name, value) => writeWhole(join(path, name), JSON.stringify(value)),
    release: async () => {
      lock.close();
      await once(lock, 'close');
    },
  };
}

function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
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

function writeWhole(file: string, text: string): void {
  const temporary = `${file}.new`;
  const descriptor = openSync(temporary, 'w', 0o600);
  writeFileSync(descriptor, text);
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(temporary, file);
}
