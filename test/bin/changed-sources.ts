import { registerHooks } from 'node:module';

/**
 * This file is loaded before a command. It lets the command read sources as if somebody had changed them.
 * `CHANGED_SOURCES` maps the end of each path to a text in the file and to its replacement. In the replacement, `<n>`
 * stands for the number of the occurrence.
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
    let occurrence = 0;
    const replaced = () => replacement.replaceAll('<n>', String(++occurrence));
    return { ...loaded, source: source.replaceAll(text, replaced) };
  },
});
