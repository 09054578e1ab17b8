import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import { OperatorError } from '../../../shared/errors.ts';

/**
 * Runs a program, and kills it when this process ends in any way, including `kill -9`. When this process ends, the
 * pipe at descriptor 3 closes without a line, so the shell kills the program. `exec` keeps the shell's process id, so
 * that signals and exit codes are the program's own.
 */
const watchdog = `
  { read -r line <&3 || kill -9 $$; } >/dev/null 2>&1 &
  exec "$0" "$@" 3<&-
`;

/**
 * Starts dynoxide on a random port of this machine. dynoxide allows every origin and checks no signatures, so a page in
 * a browser must not find it. On Linux, it listens at one of 16 million loopback addresses.
 *
 * @param databaseFile the file with the data; without a file, the data is in memory
 * @throws OperatorError if there is no binary for this platform, or it does not start
 */
export async function startEmbeddedDynamoDB(databaseFile?: string) {
  // The port is one that IANA assigns to no service.
  const [host, port] = [loopbackAddress(), randomInt(49_152, 65_536)];
  const words = ['serve', '--host', host, '--port', String(port)];
  if (databaseFile !== undefined) words.push('--db-path', databaseFile);
  // The program gets a process group of its own, so that Ctrl+C in the terminal does not end it.
  const child = spawn('/bin/sh', ['-c', watchdog, binaryPath(), ...words], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  /** The last line of the program's output, if there is one. */
  let lastLine = '';
  const listening = Promise.withResolvers<void>();
  for (const output of [child.stdout!, child.stderr!]) {
    createInterface({ input: output }).on('line', (line) => {
      if (line.includes('listening on')) listening.resolve();
      else lastLine = `: ${line}`;
    });
  }
  const [place, remedy] = databaseFile
    ? [
        `with the data in ${databaseFile}`,
        'free space on its disk, restore a copy of the file, or name another directory',
      ]
    : ['in memory', 'start again'];
  const failure = (reason: string) =>
    new OperatorError(`the embedded DynamoDB ${place} fails (${reason}): ${remedy}`);
  /** Resolves with the reason when the program has ended. */
  const ended = once(child, 'exit').then(([code, killer]) => {
    (child.stdio[3] as Writable).end('stop\n');
    return failure(`dynoxide ended (${code ?? killer}${lastLine})`);
  });
  await Promise.race([listening.promise, ended.then((error) => Promise.reject(error))]);
  return {
    endpoint: `http://${host}:${port}`,
    ended,
    /** Makes an error that tells the user about a failure and its remedy. */
    failure,
    /** Waits until the process has ended. */
    close: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function binaryPath(): string {
  const packageName = `@dynoxide/${process.platform}-${process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`${packageName}/dynoxide`);
  } catch {
    throw new OperatorError(
      `There is no embedded DynamoDB for this platform (${packageName} is not installed): start a ` +
        'DynamoDB-compatible server yourself and name it in DYNAMODB_ENDPOINT, such as http://127.0.0.1:8000',
    );
  }
}

// The address is random on Linux only, because other systems do not assign all of 127.0.0.0/8 to the loopback
// interface.
function loopbackAddress(): string {
  if (process.platform !== 'linux') return '127.0.0.1';
  return `127.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;
}
