import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type OutputFile } from 'esbuild';

/** The functions of the service: construct name and handler source. */
export const handlerEntries = {
  authorizer: 'lambdas/authorizer.ts',
  listOrders: 'lambdas/list-orders.ts',
  cancelOrder: 'lambdas/cancel-order.ts',
} as const;

export type FunctionName = keyof typeof handlerEntries;

/** What a bundle may weigh, in KB of 1,024 bytes: a test fails above it. Cold starts pay for each. */
export const bundleLimitsKb: Readonly<Record<FunctionName, number>> = {
  authorizer: 180,
  listOrders: 190,
  cancelOrder: 180,
};

export interface Bundle {
  /** Folder that holds `index.js` and nothing else: what Lambda unpacks. */
  readonly directory: string;
  /** Size of `index.js`. */
  readonly bytes: number;
  /** The source map, kept outside the folder above: Lambda would load it at every cold start. */
  readonly sourceMapFile: string;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * How every function is bundled. Each choice is there for the cold start, which is dominated by the
 * JavaScript that Node must read and compile:
 *
 * - `mainFields` prefers the packages' ES modules, so that unused exports fall away; the output is
 *   CommonJS, which loads faster than ESM on Lambda.
 * - The SDK is bundled: the runtime's own copy is larger, slower to load and changes by itself.
 * - Lambda puts its credentials into the environment, so the provider chain (profiles, SSO, web
 *   identity, instance metadata) is replaced by a reader of three variables.
 * - The same goes for the SDK's configuration files: looking for them costs two reads.
 * - Event streams and endpoint discovery are replaced too: no operation used here has the first, and
 *   DynamoDB does not need the second. What a stub cannot do, it refuses or leaves off, by name.
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
    '@aws-sdk/credential-provider-node': join(
      root,
      'lib/functions/stubs/credential-provider-node.ts',
    ),
    '@aws-sdk/middleware-endpoint-discovery': join(
      root,
      'lib/functions/stubs/endpoint-discovery.ts',
    ),
    '@smithy/core/event-streams': join(root, 'lib/functions/stubs/event-streams.ts'),
    'node:fs/promises': join(root, 'lib/functions/stubs/shared-config-files.ts'),
  },
};

/**
 * Bundles all functions at once, each into `<outputDirectory>/<name>/index.js`, with the source maps
 * in `<outputDirectory>/source-maps/`.
 *
 * @throws esbuild's `BuildFailure` when a source does not build.
 */
export async function bundleFunctions(
  outputDirectory: string,
): Promise<Record<FunctionName, Bundle>> {
  const names = Object.keys(handlerEntries) as FunctionName[];
  const { outputFiles } = await build({
    ...bundlingOptions,
    entryPoints: names.map((name) => ({ in: handlerEntries[name], out: name })),
    outdir: '.',
    write: false,
  });
  const bundles = names.map((name) => [name, writeBundle(name, outputFiles, outputDirectory)]);
  return Object.fromEntries(bundles) as Record<FunctionName, Bundle>;
}

function writeBundle(name: string, outputs: OutputFile[], outputDirectory: string): Bundle {
  const output = (file: string) => outputs.find(({ path }) => basename(path) === file)!.contents;
  const code = output(`${name}.js`);
  const directory = join(outputDirectory, name);
  const sourceMapFile = join(outputDirectory, 'source-maps', `${name}.js.map`);
  writeFile(join(directory, 'index.js'), code);
  writeFile(sourceMapFile, output(`${name}.js.map`));
  return { directory, bytes: code.length, sourceMapFile };
}

function writeFile(path: string, contents: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
}
