import { registerHooks } from 'node:module';

/**
 * Loaded into a command first, it lets the command read sources as if somebody had changed them.
 * `CHANGED_SOURCES` gives each, by the end of its path, with a text in it and what stands there instead.
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
