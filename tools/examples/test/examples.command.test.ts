import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { App, Stack } from 'aws-cdk-lib/core';
import { moduleDirectoryOfFile } from '../../../test/helpers/temporary-directory.ts';
import { codeBlocks } from '../../../test/pages/markdown.ts';
import { root, startService } from '../../local/test/running-service.ts';
import { hearOfCancellations } from '../cancellations.ts';

const run = promisify(execFile);
const compiler = join(root, 'node_modules/typescript/bin/tsc');
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
    const file = directory.write('src/main.ts', lines.join('\n'));

    const { stdout } = await run(process.execPath, [file], { env });

    expect(stdout).toBe('1000 orders; 1001 is cancelled\n9223372036854775807n\n');
  });
});

it('the example for cancellations receives only cancellations, and puts one that fails into a queue after ten retries', () => {
  const stack = new Stack(new App(), 'Refunds');
  const code = Code.fromInline(' ');
  const options = { code, handler: 'index.handler', runtime: Runtime.NODEJS_24_X };
  const refundOrder = new LambdaFunction(stack, 'RefundOrder', options);
  const tableStreamArn = 'arn:aws:dynamodb:eu-central-1:111122223333:table/orders/stream/1';
  const names = { tableName: 'orders', tableStreamArn };
  const orders = Table.fromTableAttributes(stack, 'Orders', names);

  hearOfCancellations(refundOrder, orders, new Queue(stack, 'Failures'));

  const OldImage = { status: { S: [{ 'anything-but': ['cancelled'] }] } };
  const NewImage = { status: { S: ['cancelled'] } };
  const pattern = { dynamodb: { OldImage, NewImage } };
  const queue = { 'Fn::GetAtt': [Match.stringLikeRegexp('^Failures'), 'Arn'] };
  Template.fromStack(stack).hasResourceProperties('AWS::Lambda::EventSourceMapping', {
    BisectBatchOnFunctionError: true,
    MaximumRetryAttempts: 10,
    DestinationConfig: { OnFailure: { Destination: queue } },
    StartingPosition: 'TRIM_HORIZON',
    FilterCriteria: { Filters: [{ Pattern: Match.serializedJson(pattern) }] },
  });
});
