import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type OutputFile } from 'esbuild';

/** The functions of the service: construct name and handler source. */
export const handlerEntries = {
  authorizer: 'lambdas/authorizer.ts',
  listOrders: 'lambdas/list-orders.ts',
  cancelOrder: 'lambdas/cancel-order.ts',
} as const;

export type FunctionName = keyof typeof handlerEntries;

export interface Bundle {
  /** Folder that holds `index.js` and nothing else: what Lambda unpacks. */
  readonly directory: string;
  /** Size of `index.js`. */
  readonly bytes: number;
  /** The source map, kept outside the folder above: Lambda would load it at every cold start. */
  readonly sourceMapFile: string;
}

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * How every function is bundled. Each choice is there for the cold start, which is dominated by the
 * JavaScript that Node must read and compile:
 *
 * - `mainFields` prefers the packages' ES modules, so that unused exports fall away; the output is
 *   CommonJS, which loads faster than ESM on Lambda.
 * - The SDK is bundled: the runtime's own copy is larger, slower to load and changes by itself.
 * - Lambda puts its credentials into the environment, so the provider chain (profiles, SSO, web
 *   identity, instance metadata) is replaced by a reader of three variables.
 * - No operation that is used here streams events, so the event-stream codec is replaced as well.
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
    '@aws-sdk/credential-provider-node': join(root, 'lib/stubs/credential-provider-node.ts'),
    '@smithy/core/event-streams': join(root, 'lib/stubs/event-streams.ts'),
  },
};

/**
 * Bundles one handler into `<outputDirectory>/<name>/index.js`, with its source map in
 * `<outputDirectory>/source-maps/`.
 *
 * @throws esbuild's `BuildFailure` when the source does not build.
 */
export async function bundleFunction(
  name: string,
  entry: string,
  outputDirectory: string,
): Promise<Bundle> {
  const { outputFiles } = await build({
    ...bundlingOptions,
    // TEMPORARY until every handler exists.
    ...(existsSync(join(root, entry))
      ? { entryPoints: [entry] }
      : { stdin: { contents: `exports.handler = async () => { throw new Error('${entry}'); };` } }),
    outfile: 'index.js',
    write: false,
  });
  const code = fileEndingIn('.js', outputFiles);
  const directory = join(outputDirectory, name);
  const sourceMapFile = join(outputDirectory, 'source-maps', `${name}.js.map`);
  writeFile(join(directory, 'index.js'), code.contents);
  writeFile(sourceMapFile, fileEndingIn('.map', outputFiles).contents);
  return { directory, bytes: code.contents.length, sourceMapFile };
}

/** Bundles all functions side by side. */
export async function bundleFunctions(
  outputDirectory: string,
): Promise<Record<FunctionName, Bundle>> {
  const names = Object.keys(handlerEntries) as FunctionName[];
  const bundles = await Promise.all(
    names.map((name) => bundleFunction(name, handlerEntries[name], outputDirectory)),
  );
  return Object.fromEntries(names.map((name, index) => [name, bundles[index]!])) as Record<
    FunctionName,
    Bundle
  >;
}

function fileEndingIn(ending: string, files: OutputFile[] = []): OutputFile {
  return files.find((file) => file.path.endsWith(ending))!;
}

function writeFile(path: string, contents: Uint8Array): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, contents);
}
