import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** A file of swagger-ui's distribution, such as `swagger-ui.css`. */
export function swaggerFile(name: string): Buffer {
  const directory = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist'));
  return readFileSync(join(directory, name));
}

/**
 * Bundles a page's script.
 *
 * @param format `iife` runs without a server, out of a file; `esm` may await at its top level
 * @throws esbuild's `BuildFailure` when the source does not build
 */
export async function bundlePage(entryFile: string, format: 'esm' | 'iife'): Promise<string> {
  // Loaded only now: a start without a browser does not pay for it.
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [entryFile],
    bundle: true,
    format,
    target: 'es2022',
    write: false,
  });
  return outputFiles[0]!.text;
}
