import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const pageDirectory = join(import.meta.dirname, 'page');

/**
 * Builds the files that the page loads. Returns their contents by name.
 *
 * @throws esbuild's `BuildFailure` when the script does not build
 */
export async function pageAssets(): Promise<Readonly<Record<string, string>>> {
  return {
    'page.css': await bundle('page.css'),
    'page.js': await bundle('page.ts'),
    'icon.svg': readFileSync(join(pageDirectory, 'icon.svg'), 'utf8'),
  };
}

async function bundle(name: string): Promise<string> {
  // The module is loaded on demand, because most runs never show the page.
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [join(pageDirectory, name)],
    bundle: true,
    // Browsers do not load modules from `file:` URLs, so the script is not a module.
    format: 'iife',
    target: 'es2022',
    write: false,
  });
  return outputFiles[0]!.text;
}
