import { readdirSync, readFileSync, statSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { defaultProvider } from '../../../lib/functions/stubs/credential-provider-node.ts';
import { type FunctionName, functionNames } from '../../../lib/settings/functions.ts';
import { capitalized } from '../../../lib/settings/names.ts';
import {
  assemblyDirectory,
  assetsManifestFile,
  resourcesOfType,
} from '../../helpers/synthesized.ts';

describe.each(functionNames)('bundle of %s', (name) => {
  // Most of a cold start is the time in which Node compiles the bundle.
  it('is no larger than 200 KB', () => {
    const { size } = statSync(bundleFile(name));

    expect(size / 1024).toBeLessThanOrEqual(200);
  });

  it('needs nothing but Node', () => {
    const code = readFileSync(bundleFile(name), 'utf8');

    const required = [...code.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, module]) => module!);

    expect(required).not.toEqual([]);
    const external = required.filter(
      (module) => !builtinModules.includes(module.replace(/^node:/, '')),
    );
    expect(external).toEqual([]);
  });

  it('has a source map in its folder, which it does not name', () => {
    const code = readFileSync(bundleFile(name), 'utf8');

    expect(code).not.toContain('sourceMappingURL');
    const map = JSON.parse(readFileSync(`${bundleFile(name)}.map`, 'utf8'));
    expect(map.sources.join()).toContain('lambdas/');
  });

  it('is the asset that the template names, without the source map', () => {
    const id = `${capitalized(name)}Function`;
    const functions = resourcesOfType('staging', 'AWS::Lambda::Function');
    const [, { Properties }] = functions.find(([logicalId]) => logicalId.startsWith(id))!;
    const { files } = JSON.parse(readFileSync(assetsManifestFile('staging'), 'utf8'));

    const { source } = files[Properties.Code.S3Key.replace('.zip', '')];

    expect(source.packaging).toBe('zip');
    const asset = join(assemblyDirectory(), source.path);
    expect(readdirSync(asset)).toEqual(['index.js']);
    expect(readFileSync(join(asset, 'index.js')).equals(readFileSync(bundleFile(name)))).toBe(true);
  });
});

it('A bundle signs with the credentials of its function, which Lambda passes as variables', async () => {
  const variables = {
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'token',
  };
  Object.assign(process.env, variables);

  const credentials = await defaultProvider()();

  expect(Object.values(credentials)).toEqual(Object.values(variables));
});

function bundleFile(name: FunctionName): string {
  return join(assemblyDirectory(), `bundle-${name}`, 'index.js');
}
