import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { moduleDirectoryOfFile } from '../../../test/helpers/temporary-directory.ts';
import { codeBlocks } from '../../../test/pages/markdown.ts';
import { root, startService } from '../../local/test/running-service.ts';

const run = promisify(execFile);
const compiler = createRequire(import.meta.url)
  .resolve('typescript/package.json')
  .replace(/package\.json$/, 'bin/tsc');
const directory = moduleDirectoryOfFile();

/** The code of docs/clients.md beside the client, each block in the file that its first line names. */
const snippets = codeBlocks(readFileSync(join(root, 'docs/clients.md'), 'utf8'));
directory.write('package.json', '{"type":"module"}');
for (const folder of ['src', 'alone']) {
  const client = readFileSync(join(root, 'tools/examples/store-orders.ts'));
  mkdirSync(join(directory.path, folder));
  directory.write(`${folder}/store-orders.ts`, client);
}
for (const { lang, text } of snippets.filter(({ lang }) => lang === 'ts')) {
  const [, file] = /^\/\/ (\S+)\n/.exec(text) ?? [];
  directory.write(file ?? `src/${lang}`, text);
}

describe('the client and the code of docs/clients.md', () => {
  it.each([
    ['alone', []],
    ['src', ['--allowImportingTsExtensions', '--noEmit', '--types', 'node']],
  ])('compile with the defaults of tsc --init: %s %j', async (folder, options) => {
    const compile = (...words: string[]) =>
      run(process.execPath, [compiler, ...words], { cwd: join(directory.path, folder) });
    await compile('--init');

    const compiled = await compile(...options).catch(Object);

    expect(compiled.stdout).toBe('');
  });

  it('run against the local service, and keep all digits of an id', async () => {
    await using service = await startService();
    const env = { ORDERS_URL: service.baseUrl, ORDERS_KEY: service.keys.business };
    const parse = `console.log(JSON.parse('{"id":9223372036854775807}', exactly).id)`;
    const lines = ["import './list.ts';", "import { exactly } from './exactly.ts';", `${parse};`];
    const entryPoint = directory.write('src/main.ts', lines.join('\n'));
    const outfile = join(directory.path, 'bundle.mjs');
    await build({
      entryPoints: [entryPoint],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
    });

    const { stdout } = await run(process.execPath, [outfile], { env });

    expect(stdout).toBe('1000 orders; 1001 is cancelled\n9223372036854775807n\n');
  });
});

it('the example for cancellations receives only cancellations, and puts one that fails into a queue after ten retries', async () => {
  const program = `
import { App, Stack } from 'aws-cdk-lib/core';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Code, Function, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { hearOfCancellations } from './tools/examples/cancellations.ts';
const stack = new Stack(new App(), 'Refunds');
const code = Code.fromInline(' ');
const refundOrder = new Function(stack, 'RefundOrder', { code, handler: 'index.handler', runtime: Runtime.NODEJS_24_X });
const tableStreamArn = 'arn:aws:dynamodb:eu-central-1:111122223333:table/orders/stream/1';
const orders = Table.fromTableAttributes(stack, 'Orders', { tableName: 'orders', tableStreamArn });
hearOfCancellations(refundOrder, orders, new Queue(stack, 'Failures'));
const { Resources } = stack.node.root.synth().stacks[0].template;
const { Properties } = Object.values(Resources).find(({ Type }) => Type === 'AWS::Lambda::EventSourceMapping');
console.log(JSON.stringify(Properties));`;

  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], {
    cwd: root,
  });

  const { FilterCriteria, ...mapping } = JSON.parse(stdout);
  expect(JSON.parse(FilterCriteria.Filters[0].Pattern).dynamodb).toEqual({
    OldImage: { status: { S: [{ 'anything-but': ['cancelled'] }] } },
    NewImage: { status: { S: ['cancelled'] } },
  });
  expect(mapping).toMatchObject({
    BisectBatchOnFunctionError: true,
    MaximumRetryAttempts: 10,
    DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': [expect.anything(), 'Arn'] } } },
    StartingPosition: 'TRIM_HORIZON',
  });
});
