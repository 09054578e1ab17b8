import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

/** Returns the code that takes the place of a module's own. */
export type Replacement = (source: string) => string;

/**
 * An esbuild plugin that replaces single modules of packages. Unlike esbuild's `alias` it reaches
 * modules that their own package imports by a relative path.
 *
 * A build that does not contain one of the modules fails and names it: an update of its package has
 * moved or renamed it, and the replacement would be without effect.
 *
 * @param replacements by path below `node_modules`
 */
export function replaceModules(replacements: Readonly<Record<string, Replacement>>): Plugin {
  const modules = Object.keys(replacements);
  const paths = modules.map((module) => module.replaceAll('.', '\\.').replaceAll('/', '[\\\\/]'));
  const filter = new RegExp(`[\\\\/]node_modules[\\\\/](?:${paths.join('|')})$`);
  return {
    name: 'replace-modules',
    setup({ onLoad, onEnd }) {
      const missing = new Set(modules);
      onLoad({ filter }, ({ path }) => {
        const module = modules.find((name) => path.replaceAll('\\', '/').endsWith(name))!;
        missing.delete(module);
        const contents = replacements[module]!(readFileSync(path, 'utf8'));
        return { contents, loader: module.endsWith('.json') ? 'json' : 'js' };
      });
      onEnd(() => {
        const errors = [...missing].map((module) => ({ text: `${module} is not in this build` }));
        return { errors };
      });
    },
  };
}
