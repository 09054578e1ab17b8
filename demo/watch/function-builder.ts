import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type BuildContext, type BuildFailure, context, formatMessages } from 'esbuild';
import { bundlingOptions } from '../../lib/functions/bundling.ts';
import { type FunctionName, functionNames, handlerEntries } from '../../lib/settings/functions.ts';
import { OperatorError } from '../../shared/errors.ts';

/** The result of building a function. */
export interface BuiltFunction {
  readonly name: FunctionName;
  readonly code: Buffer;
  /** The folder with the bundle `index.js`. */
  readonly directory: string;
}

const root = bundlingOptions.absWorkingDir!;

/** Bundles the functions with the settings of the stack, incrementally. */
export class FunctionBuilder {
  readonly #functions: readonly IncrementalBuild[];

  /**
   * @param directory the folder for the bundles
   * @param isDebugged whether the bundles contain source maps for a debugger
   */
  constructor(directory: string, isDebugged: boolean) {
    this.#functions = functionNames.map(
      (name) => new IncrementalBuild(name, directory, isDebugged),
    );
  }

  /**
   * Builds the functions that depend on changed files.
   *
   * @param changed the paths of changed files; undefined to build all functions. A function whose last
   *   build failed, or that has not been built, is always built.
   * @returns the last successful build of every function
   * @throws OperatorError with the errors of the build and their places
   */
  async build(changed?: ReadonlySet<string>): Promise<BuiltFunction[]> {
    const concerned = this.#functions.filter((each) => each.isConcernedBy(changed));
    const results = await Promise.allSettled(concerned.map((each) => each.run()));
    const failed = results.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw await asOperatorError(failed.reason);
    return this.#functions.flatMap(({ latest }) => latest ?? []);
  }

  async close(): Promise<void> {
    await Promise.all(this.#functions.map((each) => each.close()));
  }
}

class IncrementalBuild {
  /** The last successful build. */
  latest: BuiltFunction | undefined;
  readonly #name: FunctionName;
  readonly #directory: string;
  readonly #context: ReturnType<typeof createContext>;
  /** The files that the last build has read; undefined if it failed. */
  #inputs: ReadonlySet<string> | undefined;
  #builds = 0;

  constructor(name: FunctionName, directory: string, isDebugged: boolean) {
    this.#name = name;
    this.#directory = directory;
    this.#context = createContext(name, directory, isDebugged);
    // The first build awaits the promise. Until then, its rejection is not unhandled.
    this.#context.catch(() => {});
  }

  isConcernedBy(changed: ReadonlySet<string> | undefined): boolean {
    const inputs = this.#inputs;
    return !changed || !inputs || [...changed].some((file) => inputs.has(file));
  }

  /** @throws esbuild's `BuildFailure` */
  async run(): Promise<void> {
    this.#inputs = undefined;
    const { outputFiles, metafile } = await (await this.#context).rebuild();
    this.#inputs = new Set(Object.keys(metafile!.inputs).map((file) => resolve(root, file)));
    const code = Buffer.from(outputFiles![0]!.contents);
    // Each build has its own folder, because environments of earlier code may still be started.
    const directory = join(this.#directory, `${this.#name}-${++this.#builds}`);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'index.js'), code);
    this.latest = { name: this.#name, code, directory };
  }

  async close(): Promise<void> {
    await (await this.#context).dispose();
  }
}

function createContext(
  name: FunctionName,
  directory: string,
  isDebugged: boolean,
): Promise<BuildContext> {
  return context({
    ...bundlingOptions,
    ...(isDebugged
      ? { minify: false, sourcemap: 'inline', sourcesContent: true }
      : { sourcemap: false }),
    entryPoints: [{ in: handlerEntries[name], out: 'index' }],
    // The paths of the source map are relative to this folder, so it has the depth of the bundle's.
    outdir: join(directory, name),
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
}

async function asOperatorError(cause: unknown): Promise<unknown> {
  const { errors } = cause as Partial<BuildFailure>;
  if (!errors) return cause;
  const messages = await formatMessages(errors, { kind: 'error', color: false });
  return new OperatorError(messages.join('').trimEnd(), { cause });
}
