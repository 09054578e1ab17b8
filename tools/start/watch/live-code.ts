import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type BuildFailure, context, formatMessages } from 'esbuild';
import { bundlingOptions } from '../../../lib/functions/bundling.ts';
import {
  type FunctionName,
  forEachFunction,
  functionNames,
  handlerEntries,
} from '../../../lib/settings/functions.ts';
import type { LambdaFunction } from '../../local/functions/lambda-functions.ts';
import { OperatorError } from '../../shared/errors.ts';

const root = bundlingOptions.absWorkingDir!;

/** A function's code as it was built, in a folder of its own. */
interface FunctionCode {
  readonly code: string;
  readonly folder: string;
}

/** A function with code that does not run yet. */
interface ChangedFunction {
  readonly name: FunctionName;
  readonly logicalId: string;
  readonly folder: string;
}

/** The code of the functions, which is built from its sources again and again. */
export class LiveCode implements AsyncDisposable {
  /** Resolves when the functions have been built for the first time; rejects if they do not build. */
  readonly built: Promise<void>;
  readonly #directory: string;
  readonly #contexts: Record<FunctionName, ReturnType<typeof createContext>>;
  /** The files that the last build of a function has read. It is missing if that build failed. */
  readonly #inputs = new Map<FunctionName, ReadonlySet<string>>();
  readonly #built = new Map<FunctionName, FunctionCode>();
  readonly #running = new Map<FunctionName, FunctionCode>();
  readonly #logicalIds = new Map<FunctionName, string>();
  #builds = 0;

  /**
   * @param directory the folder for the bundles
   * @param isDebugged whether the source maps contain the sources, for a debugger
   */
  constructor(directory: string, isDebugged: boolean) {
    this.#directory = directory;
    this.#contexts = forEachFunction((name) => createContext(name, directory, isDebugged));
    this.built = this.build();
    // The start awaits the promise. If it fails before that, the rejection is not unhandled.
    this.built.catch(() => {});
  }

  /** The folder of a function's first code; undefined for a function that is not built here. */
  readonly folderOf = ({ logicalId }: LambdaFunction): string | undefined => {
    const name = functionNames.find((each) => new RegExp(`^${each}Function`, 'i').test(logicalId));
    if (!name) return undefined;
    this.#logicalIds.set(name, logicalId);
    this.#running.set(name, this.#built.get(name)!);
    return this.#built.get(name)!.folder;
  };

  /**
   * Builds the functions that depend on changed files, and those that did not build the last time.
   *
   * @param changed the paths of the files. @default - all functions are built
   * @throws OperatorError with the errors of the build and their places
   */
  async build(changed: ReadonlySet<string> = new Set()): Promise<void> {
    const concerned = functionNames.filter((name) => {
      const inputs = this.#inputs.get(name);
      return !inputs || [...changed].some((file) => inputs.has(file));
    });
    const builds = await Promise.allSettled(concerned.map((name) => this.#buildFunction(name)));
    const failed = builds.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') await throwOperatorError(failed.reason);
  }

  async #buildFunction(name: FunctionName): Promise<void> {
    this.#inputs.delete(name);
    const { outputFiles, metafile } = await (await this.#contexts[name]).rebuild();
    this.#inputs.set(
      name,
      new Set(Object.keys(metafile.inputs).map((file) => resolve(root, file))),
    );
    const code = outputFiles[0]!.text;
    if (code === this.#built.get(name)?.code) return;
    // Each build has its own folder, because earlier code may still be started.
    const folder = join(this.#directory, `${name}-${this.#builds++}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'index.js'), code);
    this.#built.set(name, { code, folder });
  }

  /** The functions whose code runs not yet, which the caller makes run. */
  takeNewCode(): ChangedFunction[] {
    const changed = [...this.#built].filter(([name, code]) => code !== this.#running.get(name));
    return changed.map(([name, code]) => {
      this.#running.set(name, code);
      return { name, logicalId: this.#logicalIds.get(name)!, folder: code.folder };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const contexts = await Promise.all(Object.values(this.#contexts));
    await Promise.all(contexts.map((each) => each.dispose()));
  }
}

function createContext(name: FunctionName, directory: string, isDebugged: boolean) {
  return context({
    ...bundlingOptions,
    // Minifying takes half of the time of a build.
    minify: false,
    sourcemap: 'inline',
    sourcesContent: isDebugged,
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
