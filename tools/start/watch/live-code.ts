import { mkdtempSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
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

/** A function that is built from its sources. */
interface LiveFunction {
  readonly name: FunctionName;
  readonly context: ReturnType<typeof createContext>;
  /** The files that its last build has read; undefined if that build failed. */
  inputs?: ReadonlySet<string> | undefined;
  /** The code of its last good build. */
  built?: string;
  /** The code that it runs, and the folder of this code. */
  running?: string;
  folder?: string;
}

/** The code of the functions. It can be rebuilt when the sources change. */
export class LiveCode implements AsyncDisposable {
  readonly #directory: string;
  readonly #functions: readonly LiveFunction[];

  /**
   * @param directory the folder in which each bundle has its own
   * @param isDebugged whether the source maps contain the sources, for a debugger
   */
  constructor(directory: string, isDebugged: boolean) {
    this.#directory = directory;
    this.#functions = functionNames.map((name) => ({
      name,
      context: createContext(name, directory, isDebugged),
    }));
  }

  /** The folder of a function's current code; undefined for a function that is not built here. */
  readonly folderOf = ({ logicalId }: LambdaFunction): string | undefined => {
    const isBuilt = ({ name }: LiveFunction) => new RegExp(`^${name}Function`, 'i').test(logicalId);
    return this.#functions.find(isBuilt)?.folder;
  };

  /**
   * Builds the functions that depend on changed files, and those whose last build failed.
   *
   * @param changed the paths of the files. @default - all functions are built
   * @throws OperatorError with the errors of the build and their places
   */
  async build(changed: ReadonlySet<string> = new Set()): Promise<void> {
    const concerned = this.#functions.filter(
      ({ inputs }) => !inputs || [...changed].some((file) => inputs.has(file)),
    );
    const builds = await Promise.allSettled(concerned.map(buildFunction));
    const failed = builds.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') await throwOperatorError(failed.reason);
  }

  /** Makes new code the current code. Returns the names of the functions that have new code. */
  takeNewCode(): FunctionName[] {
    const changed = this.#functions.filter(({ built, running }) => built !== running);
    for (const each of changed) this.#writeCode(each);
    return changed.map(({ name }) => name);
  }

  /** Writes code to a folder of its own, because earlier code may still be started. */
  #writeCode(written: LiveFunction): void {
    const { name, built } = written;
    written.folder = mkdtempSync(join(this.#directory, `${name}-`));
    writeFileSync(join(written.folder, 'index.js'), built!);
    written.running = built!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#functions.map(async (each) => (await each.context).dispose()));
  }
}

async function buildFunction(live: LiveFunction): Promise<void> {
  live.inputs = undefined;
  const { outputFiles, metafile } = await (await live.context).rebuild();
  live.inputs = new Set(Object.keys(metafile.inputs).map((file) => resolve(root, file)));
  live.built = outputFiles[0]!.text;
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
