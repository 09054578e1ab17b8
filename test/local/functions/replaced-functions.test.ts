import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FunctionRunner } from '../../../local/functions/function-runner.ts';
import type { LambdaFunction } from '../../../local/functions/lambda-functions.ts';
import { type Assembly, writeAssembly } from '../small-template.ts';
import { payloadOf, streamOf } from './function-under-test.ts';

const answering = (text: string) => `exports.handler = async () => '${text}';`;
const streaming = (text: string) =>
  `exports.handler = awslambda.streamifyResponse(async (event, output) => {
    output.write('${text}');
    await new Promise((resolve) => { setTimeout(resolve, 100); });
    output.end(' ${text}');
  });`;

let runner: FunctionRunner;
let lines: string[];
let assemblies: Assembly[];

beforeEach(() => {
  lines = [];
  assemblies = [];
  runner = new FunctionRunner({ variablesOf: () => ({}), log: (_, line) => lines.push(line) });
});

afterEach(async () => {
  await runner.close();
  for (const { remove } of assemblies) remove();
});

/** The function with this code. */
function lambda(code: string): LambdaFunction {
  const assembly = writeAssembly({}, { Fn: code });
  assemblies.push(assembly);
  return {
    logicalId: 'Fn',
    name: 'fn',
    arn: 'arn:fn',
    codeDirectory: `${assembly.directory}/asset.Fn`,
    handler: 'index.handler',
    memorySizeMb: 128,
    timeoutMs: 5_000,
    environment: {},
  };
}

const invoke = (target: LambdaFunction) =>
  runner.invoke(target, { event: '{}', requestId: 'request-1', invokedArn: 'arn:fn' });

describe('a function that is replaced', () => {
  it('answers with its new code who comes while that is on its way', async () => {
    const old = lambda(answering('old'));
    const built = Promise.withResolvers<LambdaFunction[]>();
    expect(await payloadOf(invoke(old))).toBe('old');

    const replaced = runner.replace(built.promise);
    const answer = payloadOf(invoke(old));
    built.resolve([lambda(answering('new'))]);

    expect(await answer).toBe('new');
    await replaced;
  });

  it('ends what is under way in the code that it began in', async () => {
    const old = lambda(streaming('old'));
    const stream = await streamOf(invoke(old));

    await runner.replace(Promise.resolve([lambda(streaming('new'))]));

    expect(await text(stream)).toBe('old old');
    expect(await text(await streamOf(invoke(old)))).toBe('new new');
  });

  it.each([
    ['does not come', () => Promise.reject(new Error('no build'))],
    ['cannot be loaded', async () => [lambda('throw new Error("no build");')]],
    [
      'cannot be loaded beside one that can',
      async () => [
        { ...lambda(answering('other')), logicalId: 'Other' },
        lambda('throw new Error("no build");'),
      ],
    ],
  ])('keeps the code that it has when the new one %s', async (_, code) => {
    const old = lambda(answering('old'));

    await expect(runner.replace(code())).rejects.toThrow('no build');

    expect(await payloadOf(invoke(old))).toBe('old');
  });
});
