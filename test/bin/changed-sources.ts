import { registerHooks } from 'node:module';

/**
 * If it is loaded first, a command reads changed sources. `CHANGED_SOURCES` has the changes: the end of
 * a file's path, a text in the file, and its replacement.
 */
const changes: [path: string, [text: string, replacement: string]][] = Object.entries(
  JSON.parse(process.env.CHANGED_SOURCES ?? '{}'),
);

registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context);
    const change = changes.find(([path]) => url.endsWith(path));
    if (!change) return loaded;
    const [, [text, replacement]] = change;
    const source = String(loaded.source);
    if (!source.includes(text)) throw new Error(`${url} does not contain ${text}`);
    return { ...loaded, source: source.replaceAll(text, replacement) };
  },
});
