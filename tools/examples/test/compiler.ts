import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import type { TemporaryDirectory } from '../../../test/helpers/temporary-directory.ts';

/** The program of the compiler. */
export const compiler = createRequire(import.meta.url)
  .resolve('typescript/package.json')
  .replace(/package\.json$/, 'bin/tsc');

const compilerOptions = {
  ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true },
  ...{ target: 'es2024', module: 'esnext', moduleResolution: 'bundler', types: ['node'] },
};

/** Compiles all TypeScript in a folder. @returns the errors */
export async function errorsOfCompiler({ path, write }: TemporaryDirectory): Promise<string> {
  write('tsconfig.json', JSON.stringify({ compilerOptions }));
  const words = [compiler, '-p', path];
  const compiled = promisify(execFile)(process.execPath, words).catch((error) => error);
  return (await compiled).stdout;
}
