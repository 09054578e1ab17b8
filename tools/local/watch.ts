import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serviceRealm } from '../../lambdas/domain/service-name.ts';
import { availablePort } from './available-port.ts';
import type { LocalOptions } from './local-options.ts';

const root = join(import.meta.dirname, '../..');
const watchedFolders = ['bin', 'lambdas', 'lib'].map((name) => join(root, name));
// A restart waits this long, because editors may empty a file before they write it, or save several files in turn.
const settlesWithinMs = 50;
// This variable has the path of the folder for a run, and for the runs that replace it.
const folderVariable = 'ORDERS_WATCH';

/** The folder of the runs that replace each other when a file changes; undefined in an ordinary run. */
export function watchFolder(): string | undefined {
  return process.env[folderVariable];
}

/**
 * Starts a run, and replaces it when a file changes, until `stop` is aborted. The runs have the same port, tables
 * and keys.
 *
 * @param words the options of the command line
 * @throws the server's error if the port is not available
 */
export async function runWatched(
  words: readonly string[],
  { port, host, data }: LocalOptions,
  stop: AbortSignal,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), `${serviceRealm}-${process.pid}-`));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const fixed = ['--port', String(await availablePort(port, host))];
  if (data === undefined) fixed.push('--data', join(folder, 'data'));
  const program = [...process.execArgv, join(import.meta.dirname, 'run.ts'), ...words, ...fixed];
  const env = { ...process.env, [folderVariable]: folder };
  while (!stop.aborted) {
    const changed = changeOf(watchedFolders, stop);
    const run = spawn(process.execPath, program, { env, stdio: 'inherit' });
    const ended = once(run, 'exit');
    void ended.then(([code]) => code && process.stderr.write('The next change starts it again.\n'));
    await changed;
    run.kill();
    await ended;
  }
}

/**
 * Resolves when a file below the folders has changed, or when `stop` is aborted. Each folder is watched by itself. On
 * Linux, Node's `--watch-path` and `recursive` watch files, and lose a file that an editor has replaced by a new file.
 */
async function changeOf(tops: readonly string[], stop: AbortSignal): Promise<void> {
  const watching = new AbortController();
  const changed = Promise.withResolvers<void>();
  const below = tops.flatMap((top) => readdirSync(top, { withFileTypes: true, recursive: true }));
  const folders = below.filter((entry) => entry.isDirectory());
  const paths = folders.map(({ parentPath, name }) => join(parentPath, name));
  for (const path of [...tops, ...paths]) {
    watch(path, { signal: watching.signal }, (_, name) => {
      if (!name?.startsWith('.')) changed.resolve();
    });
  }
  await Promise.race([changed.promise, once(stop, 'abort')]);
  if (!stop.aborted) await sleep(settlesWithinMs);
  watching.abort();
}
