import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const pageDirectory = join(import.meta.dirname, 'page');

/**
 * The files that the page loads, by name.
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
  // Loaded only now: a start without a browser does not pay for it.
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [join(pageDirectory, name)],
    bundle: true,
    // No module: a browser runs it out of a file, too.
    format: 'iife',
    target: 'es2022',
    write: false,
  });
  return outputFiles[0]!.text;
}
