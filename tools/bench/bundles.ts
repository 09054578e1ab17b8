import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleFunctions, bundlingOptions } from '../../lib/functions/bundling.ts';
import { type FunctionName, handlerEntries } from '../../lib/settings/functions.ts';

const peerEntries = {
  listBuffered: 'tools/bench/peers/list-buffered.ts',
  listStreamed: 'tools/bench/peers/list-streamed.ts',
  listBareHttp: 'tools/bench/peers/list-bare-http.ts',
  authorizerRateLimiterFlexible: 'tools/bench/peers/authorizer-rate-limiter-flexible.ts',
};

export interface BundleFile {
  file: string;
  bytes: number;
}

/** All bundles. Paths are absolute. */
export interface Bundles {
  /** The bundles that are deployed. */
  ours: Record<FunctionName, BundleFile>;
  /** The same handlers, bundled with esbuild's default options. */
  byDefault: Record<FunctionName, BundleFile>;
  /** The peers, bundled with the same options as ours. */
  peers: Record<keyof typeof peerEntries, BundleFile>;
  /** The program of the measured process. */
  measureFile: string;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Builds all bundles into a folder. */
export async function buildBundles(directory: string): Promise<Bundles> {
  mkdirSync(directory, { recursive: true });
  // Without this file, the repository's package.json would make the bundles ES modules.
  writeFileSync(join(directory, 'package.json'), '{"type":"commonjs"}');
  const [ours, byDefault, peers, measure] = await Promise.all([
    bundleFunctions(join(directory, 'ours')),
    buildEach(handlerEntries, (entry, name) => buildByDefault(entry, directory, name)),
    buildEach(peerEntries, (entry, name) => buildLikeOurs(entry, directory, name)),
    buildLikeOurs('tools/bench/measured-process.ts', directory, 'measure'),
  ]);
  const deployed = Object.entries(ours).map(([name, { directory: home, bytes }]) => {
    return [name, { file: join(home, 'index.js'), bytes }];
  });
  return { ours: Object.fromEntries(deployed), byDefault, peers, measureFile: measure.file };
}

async function buildEach<Name extends string>(
  entries: Record<Name, string>,
  buildOne: (entry: string, name: string) => Promise<BundleFile>,
): Promise<Record<Name, BundleFile>> {
  const built = Object.entries<string>(entries).map(async ([name, entry]) => {
    return [name, await buildOne(entry, name)];
  });
  return Object.fromEntries(await Promise.all(built));
}

/**
 * Builds with `esbuild --bundle --platform=node --format=esm`. The banner is necessary because the
 * SDK's CommonJS packages call `require`, which an ES module does not have.
 */
function buildByDefault(entry: string, directory: string, name: string): Promise<BundleFile> {
  const outfile = join(directory, 'default', `${name}.mjs`);
  const banner = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;
  return buildFile(
    { bundle: true, platform: 'node', format: 'esm', banner: { js: banner } },
    entry,
    outfile,
  );
}

function buildLikeOurs(entry: string, directory: string, name: string): Promise<BundleFile> {
  const options = { ...bundlingOptions, sourcemap: false };
  return buildFile(options, entry, join(directory, `${name}.js`));
}

async function buildFile(
  options: Parameters<typeof build>[0],
  entry: string,
  outfile: string,
): Promise<BundleFile> {
  const { metafile } = await build({
    ...options,
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    metafile: true,
    logLevel: 'error',
  });
  const [output] = Object.values(metafile!.outputs);
  return { file: outfile, bytes: output!.bytes };
}
