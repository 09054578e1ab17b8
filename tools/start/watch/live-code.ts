import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type BuildFailure, context, formatMessages } from 'esbuild';
import { bundlingOptions } from '../../../lib/functions/bundling.ts';
import {
  type FunctionName,
  functionNames,
  handlerEntries,
} from '../../../lib/settings/functions.ts';
import type { LambdaFunction } from '../../local/functions/lambda-functions.ts';
import { OperatorError } from '../../shared/errors.ts';

const root = bundlingOptions.absWorkingDir!;

/** The code of the functions, which is built from its sources again and again. */
export class LiveCode implements AsyncDisposable {
  /** Resolves when the functions have been built for the first time; rejects if they do not build. */
  readonly built: Promise<unknown>;
  readonly #functions: readonly IncrementalBuild[];
  readonly #logicalIds = new Map<FunctionName, string>();

  /**
   * @param directory the folder for the bundles
   * @param isDebugged whether the bundles contain source maps for a debugger
   */
  constructor(directory: string, isDebugged: boolean) {
    this.#functions = functionNames.map(
      (name) => new IncrementalBuild(name, directory, isDebugged),
    );
    this.built = this.build();
    // The start awaits the promise. If it fails before that, the rejection is not unhandled.
    this.built.catch(() => {});
  }

  /** The folder of a function's code; undefined for a function that is not built here. */
  readonly folderOf = ({ logicalId, codeDirectory }: LambdaFunction): string | undefined => {
    const name = bundleNameOf(codeDirectory);
    const built = this.#functions.find((each) => each.name === name);
    if (!built) return undefined;
    this.#logicalIds.set(built.name, logicalId);
    built.takeChange();
    return built.folder;
  };

  /**
   * Builds the functions that depend on changed files, and those that did not build the last time.
   *
   * @param changed the paths of the files. @default - all functions are built
   * @throws OperatorError with the errors of the build and their places
   */
  async build(changed?: ReadonlySet<string>): Promise<void> {
    const concerned = this.#functions.filter((each) => each.isConcernedBy(changed));
    const results = await Promise.allSettled(concerned.map((each) => each.run()));
    const failed = results.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') await throwOperatorError(failed.reason);
  }

  /** The names of the functions whose code runs not yet, and the folders of it by logical id. */
  takeNewCode(): {
    readonly names: readonly FunctionName[];
    readonly folders: Map<string, string>;
  } {
    const built = this.#functions.filter((each) => each.takeChange());
    return {
      names: built.map(({ name }) => name),
      folders: new Map(built.map(({ name, folder }) => [this.#logicalIds.get(name)!, folder])),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#functions.map((each) => each.dispose()));
  }
}

/** The builds of one function. Each has its own folder, because earlier code may still be started. */
class IncrementalBuild {
  readonly name: FunctionName;
  readonly #directory: string;
  readonly #context: ReturnType<typeof createContext>;
  /** The files that the last build has read; undefined if it failed. */
  #inputs: ReadonlySet<string> | undefined;
  #code: string | undefined;
  #hasChanged = false;
  #builds = 0;

  constructor(name: FunctionName, directory: string, isDebugged: boolean) {
    this.name = name;
    this.#directory = directory;
    this.#context = createContext(name, directory, isDebugged);
    // The first build awaits the promise. Until then, its rejection is not unhandled.
    this.#context.catch(() => {});
  }

  get folder(): string {
    return join(this.#directory, `${this.name}-${this.#builds}`);
  }

  isConcernedBy(changed: ReadonlySet<string> | undefined): boolean {
    const inputs = this.#inputs;
    return !changed || !inputs || [...changed].some((file) => inputs.has(file));
  }

  /** @throws esbuild's `BuildFailure` */
  async run(): Promise<void> {
    this.#inputs = undefined;
    const { outputFiles, metafile } = await (await this.#context).rebuild();
    this.#inputs = new Set(Object.keys(metafile.inputs).map((file) => resolve(root, file)));
    const code = outputFiles[0]!.text;
    if (code === this.#code) return;
    this.#code = code;
    this.#hasChanged = true;
    this.#builds++;
    mkdirSync(this.folder, { recursive: true });
    writeFileSync(join(this.folder, 'index.js'), code);
  }

  /** Whether the code has changed since the last call. */
  takeChange(): boolean {
    const hasChanged = this.#hasChanged;
    this.#hasChanged = false;
    return hasChanged;
  }

  async dispose(): Promise<void> {
    await (await this.#context).dispose();
  }
}

function createContext(name: FunctionName, directory: string, isDebugged: boolean) {
  return context({
    ...bundlingOptions,
    // Minifying takes half of the time of a build.
    minify: false,
    ...(isDebugged ? { sourcemap: 'inline', sourcesContent: true } : { sourcemap: false }),
    entryPoints: [{ in: handlerEntries[name], out: 'index' }],
    // The paths of the source map are relative to this folder, so it has the depth of the bundle's.
    outdir: join(directory, name),
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
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
