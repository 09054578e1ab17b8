import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LocalService } from '../aws/local-service.ts';
import type { RunConsole } from '../run-console.ts';
import type { LiveCode } from './live-code.ts';

const root = join(import.meta.dirname, '../../..');
const isSource = /^[^.].*\.(?:ts|js|json)$/;

// Editors may empty a file before they write it, and save several files one after the other.
const settlesWithinMs = 15;

/**
 * Reloads the functions when their sources change, until it is disposed. Requests that arrive after a change wait
 * for the new code. esbuild's own watch mode notices a change up to two seconds later.
 */
export function startWatching(
  service: Pick<LocalService, 'replaceFunctionCode'>,
  liveCode: Pick<LiveCode, 'build' | 'takeNewCode'>,
  { log, paint }: Pick<RunConsole, 'log' | 'paint'>,
): Disposable {
  let changes = 0;
  let builtChanges = 0;
  let serving = Promise.resolve();
  const announced = new Set<string>();

  function serveChange(): void {
    changes++;
    serving = serving.then(serveChanges);
  }

  async function serveChanges(): Promise<void> {
    if (builtChanges === changes) return;
    const startedMs = performance.now();
    try {
      const newCode = buildWhenSettled().then(() => liveCode.takeNewCode());
      await service.replaceFunctionCode(newCode);
      const names = (await newCode).join(', ');
      const durationMs = Math.round(performance.now() - startedMs);
      if (names) log(paint('cyan', `${names}: reloaded in ${durationMs} ms`));
    } catch (error) {
      log(paint('red', `${(error as Error).message}\nThe last good version keeps running.`));
    }
  }

  /** Builds until no file changes during a build, so that the result and its errors are up to date. */
  async function buildWhenSettled(): Promise<void> {
    for (;;) {
      const seen = changes;
      await sleep(settlesWithinMs);
      if (seen !== changes) continue;
      builtChanges = seen;
      const built = liveCode.build();
      await built.catch(() => {});
      if (seen === changes) return built;
    }
  }

  function askForRestart(file: string): void {
    if (announced.has(file)) return;
    announced.add(file);
    log(paint('cyan', `${relative(root, file)} has changed: restart npm start to apply it`));
  }

  const watching = new DisposableStack();
  watching.defer(watchSources(join(root, 'lambdas'), serveChange));
  watching.defer(watchSources(join(root, 'lib'), askForRestart));
  watching.defer(watchSources(join(root, 'bin'), askForRestart));
  // A file may have changed while the service started.
  serveChange();
  return watching;
}

/** Watches each folder. Node's recursive option watches the files, which editors may replace. */
function watchSources(top: string, onChange: (file: string) => void): () => void {
  const watchers = new Map<string, FSWatcher>();

  function add(folder: string): void {
    if (watchers.has(folder)) return;
    const watcher = watch(folder, (_, name) => {
      // A folder may be new.
      addAll();
      if (isSource.test(name ?? '')) onChange(join(folder, name!));
    });
    watchers.set(folder, watcher);
  }

  function addAll(): void {
    add(top);
    for (const entry of readdirSync(top, { withFileTypes: true, recursive: true })) {
      if (entry.isDirectory()) add(join(entry.parentPath, entry.name));
    }
  }

  addAll();
  return () => {
    for (const watcher of watchers.values()) watcher.close();
  };
}
