import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type BuildContext, type BuildFailure, context, formatMessages } from 'esbuild';
import { bundlingOptions } from '../../lib/functions/bundling.ts';
import { type FunctionName, functionNames, handlerEntries } from '../../lib/settings/functions.ts';
import type { LambdaFunction } from '../../local/functions/lambda-functions.ts';
import { OperatorError } from '../../shared/errors.ts';

/** The code of the functions, which is built from its sources again and again. */
export class LiveCode implements AsyncDisposable {
  /** Resolves when the functions have been built for the first time; rejects if they do not build. */
  readonly built: Promise<unknown>;
  readonly #directory: string;
  readonly #context: Promise<BuildContext>;
  readonly #logicalIds = new Map<FunctionName, string>();
  readonly #code = new Map<FunctionName, string>();
  readonly #folders = new Map<FunctionName, string>();
  #builds = 0;

  /**
   * @param directory the folder for the bundles
   * @param isDebugged whether the bundles contain source maps for a debugger
   */
  constructor(directory: string, isDebugged: boolean) {
    this.#directory = directory;
    this.#context = context({
      ...bundlingOptions,
      ...(isDebugged
        ? { minify: false, sourcemap: 'inline', sourcesContent: true }
        : { sourcemap: false }),
      entryPoints: functionNames.map((name) => ({ in: handlerEntries[name], out: name })),
      // The paths of a source map are relative to this folder, so it has the depth of the bundle's.
      outdir: join(directory, '0/function'),
      write: false,
      logLevel: 'silent',
    });
    this.built = this.build();
    // The start awaits the promise. If it fails before that, the rejection is not unhandled.
    this.built.catch(() => {});
  }

  /** The folder of a function's code; undefined for a function that is not built here. */
  readonly folderOf = ({ logicalId, codeDirectory }: LambdaFunction): string | undefined => {
    const name = bundleNameOf(codeDirectory);
    if (!name) return undefined;
    this.#logicalIds.set(name, logicalId);
    return this.#folders.get(name);
  };

  /**
   * Builds all functions.
   *
   * @returns the names of those whose code has changed
   * @throws OperatorError with the errors of the build and their places
   */
  async build(): Promise<FunctionName[]> {
    const { outputFiles } = await (await this.#context).rebuild().catch(throwOperatorError);
    const number = ++this.#builds;
    return functionNames.filter((name) => {
      const code = outputFiles!.find(({ path }) => path.endsWith(`/${name}.js`))!.text;
      if (this.#code.get(name) === code) return false;
      // Each build has its own folder, because environments of earlier code may still be started.
      const folder = join(this.#directory, String(number), name);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'index.js'), code);
      this.#code.set(name, code);
      this.#folders.set(name, folder);
      return true;
    });
  }

  /** The folders of functions by their logical ids. */
  foldersOf(names: readonly FunctionName[]): Map<string, string> {
    return new Map(names.map((name) => [this.#logicalIds.get(name)!, this.#folders.get(name)!]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#context).dispose();
  }
}

async function throwOperatorError(cause: Partial<BuildFailure>): Promise<never> {
  if (!cause.errors) throw cause;
  const messages = await formatMessages(cause.errors, { kind: 'error', color: false });
  throw new OperatorError(messages.join('').trimEnd(), { cause });
}

/**
 * The function whose bundle was copied to an asset's folder. The CDK names that folder by its hash, so
 * the code is compared.
 */
function bundleNameOf(codeDirectory: string): FunctionName | undefined {
  const codeIn = (folder: string) => readFileSync(join(folder, 'index.js'), 'utf8');
  const bundles = join(dirname(codeDirectory), 'bundles');
  return functionNames.find((name) => codeIn(join(bundles, name)) === codeIn(codeDirectory));
}
