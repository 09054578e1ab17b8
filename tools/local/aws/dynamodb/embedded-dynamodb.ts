import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import { LocalRunError } from '../errors.ts';

/** A DynamoDB-compatible server that belongs to this run. */
export interface EmbeddedDynamoDB {
  readonly endpoint: string;
  /** Resolves when the server ends unexpectedly. */
  readonly ended: Promise<LocalRunError>;
  /** Makes an error that tells the user about a failure and its remedy. */
  failure(reason: string): LocalRunError;
  /** Waits until the process has ended. */
  close(): Promise<void>;
}

export interface EmbeddedDynamoDBOptions {
  /** The file with the data. @default - the data is in memory */
  readonly databaseFile?: string;
  readonly signal?: AbortSignal;
}

// The first of the ports that IANA assigns to nobody.
const firstPort = 49_152;
const portLimit = 65_536;
const startTimeoutMs = 10_000;
const stopTimeoutMs = 1_000;

/**
 * Runs a program, and kills it when this process ends in any way, including `kill -9`. When this process ends, the pipe
 * at descriptor 3 closes before a line arrives. `exec` keeps the shell's process id, so that signals and exit codes are
 * the program's own.
 */
const watchdog = `
  { read -r line <&3 || kill -9 $$; } >/dev/null 2>&1 &
  exec "$0" "$@" 3<&-
`;

/**
 * Starts dynoxide on a random port of this machine. dynoxide allows every origin and checks no signatures, so a page in
 * a browser must not find it. On Linux, it listens at one of 16 million loopback addresses.
 *
 * @throws LocalRunError if there is no binary for this platform, or it does not start
 */
export async function startEmbeddedDynamoDB({
  databaseFile,
  signal,
}: EmbeddedDynamoDBOptions = {}): Promise<EmbeddedDynamoDB> {
  const binary = binaryPath();
  signal?.throwIfAborted();
  const file = databaseFile ? ['--db-path', databaseFile] : [];
  const [host, port] = [loopbackAddress(), randomInt(firstPort, portLimit)];
  const words = ['serve', '--host', host, '--port', String(port), ...file];
  // The program has a process group of its own, so that it does not get the terminal's Ctrl+C.
  const child = spawn('/bin/sh', ['-c', watchdog, binary, ...words], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const pipe = child.stdio[3] as Writable;
  const exited = once(child, 'exit');
  /** The last line of the program's output, if there is one. */
  const lines: string[] = [];
  let isStopping = false;

  async function close(): Promise<void> {
    isStopping = true;
    pipe.end('stop\n');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
    await exited;
    clearTimeout(timer);
  }
  const ended = exited.then(([code, killer]) => {
    const [last] = lines;
    return `dynoxide ended (${code ?? killer}${last ? `: ${last}` : ''})`;
  });
  pipe.on('error', () => {});
  try {
    await untilListening(child, ended, lines, signal);
  } catch (error) {
    await close();
    signal?.throwIfAborted();
    throw failureOf(databaseFile, (error as Error).message);
  }
  return {
    endpoint: `http://${host}:${port}`,
    ended: new Promise((resolve) => {
      void ended.then((how) => isStopping || resolve(failureOf(databaseFile, how)));
    }),
    failure: (reason) => failureOf(databaseFile, reason),
    close,
  };
}

function failureOf(file: string | undefined, reason: string): LocalRunError {
  return new LocalRunError(
    file
      ? `the embedded DynamoDB with the data in ${file} fails (${reason}): free space on its disk, restore a copy of the file, or name another directory`
      : `the embedded DynamoDB in memory fails (${reason}): start again`,
  );
}

function binaryPath(): string {
  const packageName = `@dynoxide/${process.platform}-${process.arch}`;
  const folders = createRequire(import.meta.url).resolve.paths(packageName) ?? [];
  const path = folders.map((each) => join(each, packageName, 'dynoxide')).find(existsSync);
  if (path !== undefined) return path;
  throw new LocalRunError(
    `There is no embedded DynamoDB for this platform (${packageName} is not installed): start a ` +
      'DynamoDB-compatible server yourself and name it in DYNAMODB_ENDPOINT, such as http://127.0.0.1:8000',
  );
}

// Only Linux assigns all of 127.0.0.0/8 to the loopback interface.
function loopbackAddress(): string {
  if (process.platform !== 'linux') return '127.0.0.1';
  return `127.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;
}

async function untilListening(
  child: ChildProcess,
  ended: Promise<string>,
  lines: string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const listening = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    listening.reject(new Error(`dynoxide did not listen within ${startTimeoutMs} ms`));
  }, startTimeoutMs);
  signal?.addEventListener('abort', () => listening.reject(signal.reason));
  void ended.then((how) => listening.reject(new Error(how)));
  for (const output of [child.stdout!, child.stderr!]) {
    createInterface({ input: output }).on('line', (line) => {
      if (line.includes('listening on')) listening.resolve();
      else lines[0] = line;
    });
  }
  await listening.promise.finally(() => clearTimeout(timer));
}
