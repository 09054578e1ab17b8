import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { type Replacement, replaceModules } from '../../../lib/functions/replace-modules.ts';
import { replacedSdkModules } from '../../../lib/functions/sdk-modules.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

describe('replaceModules', () => {
  const home = temporaryDirectory();
  mkdirSync(join(home.path, 'node_modules/pack/dist'), { recursive: true });
  home.write('node_modules/pack/package.json', '{"main":"dist/index.js","sideEffects":false}');
  home.write('node_modules/pack/dist/index.js', `export { part } from './part';`);
  home.write('node_modules/pack/dist/part.js', `export const part = 'original';`);

  afterAll(() => home.remove());

  it('replaces a module that its own package imports by a relative path', async () => {
    const code = await bundle({ 'pack/dist/part.js': (code) => code.replace('original', 'new') });

    expect(code).toContain('new');
    expect(code).not.toContain('original');
  });

  it('fails the build, naming the module, when a replacement is without effect', async () => {
    const building = bundle({
      'pack/dist/part.js': (code) => code,
      'pack/dist/moved.js': (code) => code,
    });

    await expect(building).rejects.toThrow('pack/dist/moved.js is not in this build');
    await expect(building).rejects.not.toThrow('pack/dist/part.js');
  });

  it('a part of the SDK that is left out says so when it is used', async () => {
    const [, leftOut] = Object.entries(replacedSdkModules).find(([name]) =>
      name.endsWith('/StandardRetryStrategy.js'),
    )!;
    const source = 'export class part {}';

    const code = await bundle({ 'pack/dist/part.js': () => leftOut(source) });

    const module = { exports: {} as { part: new () => object } };
    new Function('module', code)(module);
    expect(() => new module.exports.part()).toThrow(/^part is left out: see lib\/functions/);
  });

  async function bundle(replacements: Record<string, Replacement>): Promise<string> {
    const { outputFiles } = await build({
      stdin: { contents: `export { part } from 'pack';`, resolveDir: home.path },
      bundle: true,
      format: 'cjs',
      write: false,
      logLevel: 'silent',
      plugins: [replaceModules(replacements)],
    });
    return outputFiles[0]!.text;
  }
});
