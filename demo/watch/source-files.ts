import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';

const isSource = /^[^.].*\.(?:ts|js|json)$/;

/**
 * Watches the source files in folders and their subfolders. It watches the folders and not the files,
 * because editors may save by replacing a file.
 *
 * @param onChange called with the path of a file that was written, replaced, added or removed;
 *   possibly several times per change
 */
export function watchSources(
  folders: readonly string[],
  onChange: (file: string) => void,
): Disposable {
  const watchers = new Map<string, FSWatcher>();

  function add(folder: string): void {
    if (watchers.has(folder)) return;
    const watcher = watch(folder, (_, name) => {
      if (name !== null) notice(folder, name);
    });
    watcher.on('error', () => remove(folder));
    watchers.set(folder, watcher);
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) add(join(folder, entry.name));
    }
  }

  function remove(folder: string): void {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  }

  function notice(folder: string, name: string): void {
    const path = join(folder, name);
    if (isSource.test(name)) onChange(path);
    else if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
      // Files that were written to a new folder before it was watched have caused no event.
      const isNew = !watchers.has(path);
      add(path);
      if (isNew) for (const file of filesIn(path)) onChange(file);
    } else remove(path);
  }

  for (const folder of folders) add(folder);
  return {
    [Symbol.dispose]: () => {
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => isSource.test(name))
    .map((name) => join(folder, name));
}
