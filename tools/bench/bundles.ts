import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { bundlingOptions } from '../../lib/functions/bundling.ts';
import { handlerEntries } from '../../lib/settings/functions.ts';

/** Bundled with the same options as ours: the peers, and the program that calls a handler. */
const ownEntries = {
  listStreamed: 'tools/bench/peers/list-streamed.ts',
  listBareHttp: 'tools/bench/peers/list-bare-http.ts',
  rateLimiterFlexible: 'tools/bench/peers/authorizer-rate-limiter-flexible.ts',
  measuredProcess: 'tools/bench/measured-process.ts',
};

/** esbuild's default: `--bundle --platform=node --format=esm`. */
const defaultOptions: BuildOptions = {
  absWorkingDir: bundlingOptions.absWorkingDir!,
  bundle: true,
  platform: 'node',
  format: 'esm',
  outExtension: { '.js': '.mjs' },
  // The SDK's CommonJS packages call `require`, which an ES module does not have.
  banner: {
    js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`,
  },
};

/** Builds all bundles into a folder: `ours` has the deployed ones, and `byDefault` the same handlers. */
export async function buildBundles(directory: string) {
  // Without this file, the repository's package.json would make the bundles ES modules.
  writeFileSync(join(directory, 'package.json'), '{"type":"commonjs"}');
  const [ours, byDefault, own] = await Promise.all([
    buildEach(handlerEntries, join(directory, 'ours'), bundlingOptions),
    buildEach(handlerEntries, join(directory, 'default'), defaultOptions),
    buildEach(ownEntries, join(directory, 'own'), { ...bundlingOptions, sourcemap: false }),
  ]);
  return { ours, byDefault, own };
}

async function buildEach<Name extends string>(
  entryPoints: Record<Name, string>,
  outdir: string,
  options: BuildOptions,
): Promise<Record<Name, string>> {
  await build({ ...options, entryPoints, outdir, logLevel: 'error' });
  const extension = options.outExtension?.['.js'] ?? '.js';
  const files = Object.keys(entryPoints).map((name) => [name, join(outdir, name + extension)]);
  return Object.fromEntries(files);
}
