import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serviceRealm } from '../../lambdas/contract/service-name.ts';
import type { LocalOptions } from './local-options.ts';
import { log } from './terminal.ts';

const root = join(import.meta.dirname, '../..');
// A restart waits this long, because editors may empty a file before they write it, or save several files in turn.
const settlesWithinMs = 50;
// This variable has the path of the folder for a run, and for the runs that replace it.
const folderVariable = 'ORDERS_WATCH';

/** The folder of the runs that replace each other when a file changes; undefined in an ordinary run. */
export function watchFolder(): string | undefined {
  return process.env[folderVariable];
}

/** Creates a directory, which is removed at the end of this process. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), `${serviceRealm}-${process.pid}-`));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/**
 * Starts a run, and replaces it when a file changes, until `stop` is aborted. The runs have the same port, tables
 * and keys.
 *
 * @param words the options of the command line
 */
export async function runWatched(
  words: readonly string[],
  { port, data }: LocalOptions,
  stop: AbortSignal,
): Promise<void> {
  const folder = temporaryDirectory();
  const fixed = ['--port', String(port)];
  if (data === undefined) fixed.push('--data', join(folder, 'data'));
  const program = [...process.execArgv, join(import.meta.dirname, 'run.ts'), ...words, ...fixed];
  const env = { ...process.env, [folderVariable]: folder };
  while (!stop.aborted) {
    const changed = nextChange(stop);
    const run = spawn(process.execPath, program, { env, stdio: 'inherit' });
    const ended = once(run, 'exit');
    void ended.then(([code]) => code && log('The next change starts it again.'));
    await changed;
    run.kill();
    await ended;
  }
}

/**
 * Resolves when a source file of the service has changed, or when `stop` is aborted. Each folder is watched by itself.
 * On Linux, Node's `--watch-path` and `recursive` watch files, and lose a file that an editor has replaced by a new
 * file.
 */
async function nextChange(stop: AbortSignal): Promise<void> {
  const watching = new AbortController();
  const { signal } = watching;
  const { promise: changed, resolve } = Promise.withResolvers<void>();
  for (const folder of globSync('{bin,lambdas,lib}/{,**/}', { cwd: root })) {
    watch(join(root, folder), { signal }, (_, name) => name?.startsWith('.') || resolve());
  }
  await Promise.race([changed, once(stop, 'abort')]);
  if (!stop.aborted) await sleep(settlesWithinMs);
  watching.abort();
}
