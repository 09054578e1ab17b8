import { once } from 'node:events';
import { globSync, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const root = join(import.meta.dirname, '../..');
// A reload waits for this time, because editors may empty a file before they write it, or save several files in turn.
const settlesWithinMs = 50;

/**
 * Calls `reload` after each change of a source file of the service, until `stop` is aborted. A change during a reload
 * leads to another reload.
 */
export async function watchSources(reload: () => Promise<void>, stop: AbortSignal): Promise<void> {
  for (let changed = nextChange(stop); !stop.aborted; ) {
    await changed;
    // Watches again before the files are read, so that no change is missed.
    changed = nextChange(stop);
    if (!stop.aborted) await reload();
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
