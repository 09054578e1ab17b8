import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type BuildContext, type BuildFailure, context, formatMessages } from 'esbuild';
import { bundlingOptions } from '../../lib/functions/bundling.ts';
import { type FunctionName, functionNames, handlerEntries } from '../../lib/settings/functions.ts';
import { OperatorError } from '../../shared/errors.ts';

/** A function's code as it was built. */
export interface BuiltFunction {
  readonly name: FunctionName;
  readonly code: Buffer;
  /** The folder with its `index.js`. */
  readonly directory: string;
}

const root = bundlingOptions.absWorkingDir!;

/** Bundles each function as its stack does, and again when its sources have changed. */
export class FunctionBuilder {
  readonly #functions: readonly IncrementalBuild[];

  /**
   * @param directory takes the bundles
   * @param isDebugged whether a debugger is to find its way from the bundle to the sources
   */
  constructor(directory: string, isDebugged: boolean) {
    this.#functions = functionNames.map(
      (name) => new IncrementalBuild(name, directory, isDebugged),
    );
  }

  /**
   * Builds the functions that a change concerns.
   *
   * @param changed paths of files; undefined for all functions. One that has not been built, or did not
   *   build last time, is built in any case.
   * @returns all functions, as each was built last
   * @throws OperatorError with what does not build, and where
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
  /** What the last build gave that succeeded. */
  latest: BuiltFunction | undefined;
  readonly #name: FunctionName;
  readonly #directory: string;
  readonly #context: ReturnType<typeof createContext>;
  /** Of the last build that succeeded; undefined when the last one has not. */
  #inputs: ReadonlySet<string> | undefined;
  #builds = 0;

  constructor(name: FunctionName, directory: string, isDebugged: boolean) {
    this.#name = name;
    this.#directory = directory;
    this.#context = createContext(name, directory, isDebugged);
    // It is awaited by the first build.
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
    // A folder of its own for each: environments of the earlier code may still start.
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
    // As deep as the folder that the bundle is written to: the map's paths begin there.
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
