import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { defaultProvider } from '../../../lib/functions/stubs/credential-provider-node.ts';
import { type FunctionName, functionNames } from '../../../lib/settings/functions.ts';
import { capitalized } from '../../../lib/settings/names.ts';
import { assemblyDirectory, resourcesOfType, templateFile } from '../../helpers/synthesized.ts';

describe.each(functionNames)('bundle of %s', (name) => {
  // The size matters, because most of a cold start is the time in which Node compiles the bundle.
  it('is no larger than 200 KB', () => {
    const { size } = statSync(bundleFile(name));

    expect(size / 1024).toBeLessThanOrEqual(200);
  });

  it('is the asset that the template names, without its source map, which is beside the bundle', () => {
    const id = `${capitalized(name)}Function`;
    const functions = resourcesOfType('staging', 'AWS::Lambda::Function');
    const [, { Properties }] = functions.find(([logicalId]) => logicalId.startsWith(id))!;
    const manifest = templateFile('staging').replace('.template.', '.assets.');
    const { files } = JSON.parse(readFileSync(manifest, 'utf8'));

    const { source } = files[Properties.Code.S3Key.replace('.zip', '')];

    expect(source.packaging).toBe('zip');
    const asset = join(assemblyDirectory(), source.path);
    expect(readdirSync(asset)).toEqual(['index.js']);
    const code = readFileSync(join(asset, 'index.js'), 'utf8');
    expect(code).toBe(readFileSync(bundleFile(name), 'utf8'));
    expect(code).not.toContain('sourceMappingURL');
    expect(readFileSync(`${bundleFile(name)}.map`, 'utf8')).toContain('lambdas/');
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
