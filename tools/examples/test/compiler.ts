import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TemporaryDirectory } from '../../../test/helpers/temporary-directory.ts';
import { root } from '../../local/test/running-service.ts';

const compilerOptions = {
  ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true },
  ...{ target: 'es2024', module: 'esnext', moduleResolution: 'bundler', types: ['node'] },
};

/** Compiles all TypeScript in a folder. @returns the errors */
export async function errorsOfCompiler({ path, write }: TemporaryDirectory): Promise<string> {
  write('tsconfig.json', JSON.stringify({ compilerOptions }));
  const words = [join(root, 'node_modules/typescript/bin/tsc'), '-p', path];
  const compiled = promisify(execFile)(process.execPath, words).catch((error) => error);
  return (await compiled).stdout;
}
