import { mkdtempSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type BuildFailure, type BuildResult, context, formatMessages } from 'esbuild';
import { bundlingOptions } from '../../../lib/functions/bundling.ts';
import { functionNames, handlerEntries } from '../../../lib/settings/functions.ts';
import { OperatorError } from '../../shared/errors.ts';
import type { LambdaFunction } from '../aws/lambda/lambda-functions.ts';

/** The code of the functions, which can be rebuilt when the sources change. */
export type LiveCode = ReturnType<typeof createLiveCode>;

/**
 * The code of the functions, which can be rebuilt when the sources change.
 *
 * @param directory the folder in which each bundle has its own
 * @param isDebugged whether the source maps contain the sources, for a debugger
 */
export function createLiveCode(directory: string, isDebugged: boolean) {
  const bundler = createContext(directory, isDebugged);
  const running = new Map<string, { readonly code: string; readonly folder: string }>();
  /** The bundles of the last good build. */
  let built: BuildResult<{ write: false }>['outputFiles'] = [];

  return {
    /** The folder of a function's code; undefined for a function that is not built here. */
    folderOf: ({ logicalId }: LambdaFunction): string | undefined => {
      const name = functionNames.find((each) =>
        new RegExp(`^${each}Function`, 'i').test(logicalId),
      );
      return name && running.get(name)?.folder;
    },

    /** @throws OperatorError with the errors of the build and their places */
    build: async (): Promise<void> => {
      try {
        built = (await (await bundler).rebuild()).outputFiles;
      } catch (cause) {
        const { errors } = cause as Partial<BuildFailure>;
        if (!errors) throw cause;
        const messages = await formatMessages(errors, { kind: 'error', color: false });
        throw new OperatorError(messages.join('').trimEnd(), { cause });
      }
    },

    /** Makes new code the current code. Returns the names of its functions. */
    takeNewCode: (): string[] => {
      const bundles = built.map(({ path, text }) => ({
        name: basename(dirname(path)),
        code: text,
      }));
      const changed = bundles.filter(({ name, code }) => code !== running.get(name)?.code);
      for (const { name, code } of changed) {
        // The folder is a new one, because earlier code may still be started.
        const folder = mkdtempSync(join(directory, `${name}-`));
        writeFileSync(join(folder, 'index.js'), code);
        running.set(name, { code, folder });
      }
      return changed.map(({ name }) => name);
    },

    [Symbol.asyncDispose]: async () => (await bundler).dispose(),
  };
}

function createContext(directory: string, isDebugged: boolean) {
  return context({
    ...bundlingOptions,
    // Minifying takes half of the time of a build.
    minify: false,
    sourcemap: 'inline',
    sourcesContent: isDebugged,
    entryPoints: functionNames.map((name) => ({ in: handlerEntries[name], out: `${name}/index` })),
    // The paths of the source map are relative to the bundle's folder, so this folder is as deep as the one
    // that the code is written to.
    outdir: directory,
    write: false,
    logLevel: 'silent',
  });
}
