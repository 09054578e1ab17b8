import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import {
  type FunctionName,
  functionNames,
  handlerEntries,
  recordByFunction,
} from '../settings/functions.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The esbuild options of every function, which keep cold starts short, as
 * docs/adr/0003-bundles-without-what-lambda-does-not-need.md explains. `mainFields` prefers the packages'
 * ES modules, so that unused exports are removed. The output is CommonJS, which loads faster on Lambda.
 */
export const bundlingOptions: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  mainFields: ['module', 'main'],
  minify: true,
  legalComments: 'none',
  sourcemap: 'external',
  sourcesContent: false,
  logLevel: 'error',
  alias: {
    '@aws-sdk/credential-provider-node': stub('credential-provider-node.ts'),
    '@smithy/core/event-streams': stub('event-streams.ts'),
  },
};

function stub(file: string): string {
  return join(root, 'lib/functions/stubs', file);
}

/**
 * Bundles each function as `index.js`, and returns its folder. This folder is beside the folders of the assets, so
 * that the relative paths in a source map stay right in an asset.
 *
 * @param forDebugger whether the code is readable and contains its source map. Otherwise, the code is minified, and
 * its source map is a separate file
 * @throws esbuild's BuildFailure
 */
export async function bundleFunctions(
  outputDirectory: string,
  forDebugger = false,
): Promise<Record<FunctionName, string>> {
  await build({
    ...bundlingOptions,
    ...(forDebugger && { minify: false, sourcemap: 'inline' }),
    entryPoints: functionNames.map((name) => ({
      in: handlerEntries[name],
      out: `bundle-${name}/index`,
    })),
    outdir: resolve(outputDirectory),
  });
  return recordByFunction((name) => join(outputDirectory, `bundle-${name}`));
}
