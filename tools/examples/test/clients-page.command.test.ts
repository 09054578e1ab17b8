import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { moduleDirectoryOfFile } from '../../../test/helpers/temporary-directory.ts';
import { codeBlocks } from '../../../test/pages/markdown.ts';
import { type RunningService, root, startService } from '../../local/test/running-service.ts';
import { errorsOfCompiler } from './compiler.ts';

const run = promisify(execFile);
const page = readFileSync(join(root, 'docs/clients.md'), 'utf8');
const snippets = codeBlocks(page);
const directory = moduleDirectoryOfFile();

let service: RunningService;
let environment: Record<string, string>;

beforeAll(async () => {
  service = await startService();
  environment = {
    PATH: process.env.PATH!,
    HOME: directory.path,
    ORDERS_URL: service.baseUrl,
    ORDERS_KEY: service.keys.business,
  };
  mkdirSync(join(directory.path, 'src'));
  const client = readFileSync(join(root, 'tools/examples/store-orders.ts'));
  directory.write('src/store-orders.ts', client);
  for (const [index, { lang, text }] of snippets.entries()) {
    const [, file = `src/${index}.${lang}`] = /^\/\/ (\S+)\n/.exec(text) ?? [];
    directory.write(file, text);
  }
}, 60_000);

afterAll(() => service?.[Symbol.asyncDispose]());

/** Bundles a module and runs it. */
async function runModule(file: string): Promise<string> {
  const outfile = join(directory.path, 'bundle.mjs');
  const entryPoints = [join(directory.path, file)];
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm' });
  return (await run(process.execPath, [outfile], { env: environment })).stdout;
}

describe('the code of docs/clients.md', () => {
  it('compiles', async () => {
    expect(await errorsOfCompiler(directory)).toBe('');
  });

  it('runs against the local service', async () => {
    expect(await runModule('src/list.ts')).toBe('1000 orders; 1001 is cancelled\n');
  });

  it('keeps all digits of an id', async () => {
    const parse = `console.log(JSON.parse('{"id":9223372036854775807}', exactly).id)`;
    directory.write('src/digits.ts', `import { exactly } from './exactly.ts';\n${parse};`);

    expect(await runModule('src/digits.ts')).toBe('9223372036854775807n\n');
  });

  it('has command lines that run against the local service', async () => {
    const commands = snippets.filter(({ lang }) => lang === 'sh').map(({ text }) => text);
    const script = commands
      .join('\n')
      .replaceAll('http://127.0.0.1:3000/staging/v1', service.baseUrl)
      .replace('so_test_…', service.keys.pro);

    const { stdout } = await run('bash', ['-ec', script], { cwd: root, env: environment });

    expect(stdout).toMatch(/^HTTP\/1.1 200 [\s\S]*\[\{"id":1001,/);
    expect(stdout).toMatch(/\]HTTP\/1.1 204 [\s\S]*\r\n\r\n1000\n$/);
  });

  it("shows the headers of the contract's examples", () => {
    const { text } = snippets.find(({ lang }) => !lang)!;
    const contract = readFileSync(join(root, 'openapi.yaml'), 'utf8');

    for (const line of text.split('\n')) {
      expect(contract).toContain(`example: '${line.slice(line.indexOf(': ') + 2)}'`);
    }
  });
});
