import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { bundlingOptions } from '../../../lib/functions/bundling.ts';
import { captureLines } from '../../helpers/captured-lines.ts';

type Exports = Readonly<Record<string, unknown>>;
type ErrorClass = new (...parameters: unknown[]) => Error;

const sources = readdirSync('lambdas', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => join('lambdas', file))
  .filter((file) => /\bclass \w+ extends \w*Error\b/.test(readFileSync(file, 'utf8')));

const { log, ...exports } = await minified([...sources, 'lambdas/shared/log.ts']);
const classes = Object.entries(exports).filter(isErrorClass);

describe('an error of the functions, minified as they are', () => {
  it.each(classes)('is named %s in the log, as its class is in the source', (name, ErrorOf) => {
    const captured = captureLines();

    (log as typeof import('../../../lambdas/shared/log.ts').log).error('failed', new ErrorOf({}));
    captured.release();

    expect(captured.lines()).toMatchObject([{ error: { name } }]);
  });
});

/** The exports of files that are bundled with the options of the functions. */
async function minified(files: readonly string[]): Promise<Exports> {
  const contents = files.map((file) => `export * from './${file}';`).join('\n');
  const stdin = { contents, resolveDir: bundlingOptions.absWorkingDir };
  const { outputFiles } = await build({
    ...bundlingOptions,
    stdin,
    sourcemap: false,
    write: false,
    treeShaking: true,
  });
  const module = { exports: {} };
  new Function('module', 'require', outputFiles![0]!.text)(module, createRequire(import.meta.url));
  return { ...module.exports };
}

function isErrorClass(entry: [string, unknown]): entry is [string, ErrorClass] {
  return typeof entry[1] === 'function' && entry[1].prototype instanceof Error;
}
