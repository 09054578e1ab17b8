import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { StartEnvironment } from '../../../local/functions/execution-environment.ts';
import { FunctionRunner } from '../../../local/functions/function-runner.ts';
import type { LambdaFunction } from '../../../local/functions/lambda-functions.ts';
import { type Assembly, writeAssembly } from '../small-template.ts';

export type Invoked = ReturnType<FunctionRunner['invoke']>;

export interface PrepareOptions {
  readonly lambda?: Partial<LambdaFunction>;
  readonly maxEnvironments?: number;
}

/** A function and its runner, of which each test has one at a time. */
export class FunctionUnderTest {
  /** What the function has logged. */
  lines: string[] = [];
  readonly #startEnvironment: StartEnvironment | undefined;
  #assembly: Assembly | undefined;
  #runner: FunctionRunner | undefined;

  constructor(startEnvironment?: StartEnvironment) {
    this.#startEnvironment = startEnvironment;
  }

  /** @param code the text of its `index.js` */
  prepare(code: string, { lambda, maxEnvironments }: PrepareOptions = {}) {
    const assembly = writeAssembly({}, { Fn: code });
    const lines: string[] = [];
    const runner = new FunctionRunner({
      variablesOf: () => ({ AWS_REGION: 'eu-central-1' }),
      log: (name, line) => lines.push(`${name}: ${line}`),
      maxEnvironments,
      startEnvironment: this.#startEnvironment,
    });
    Object.assign(this, { lines });
    this.#assembly = assembly;
    this.#runner = runner;
    const described = { ...exampleFunction(assembly), ...lambda };
    return (event: unknown = {}) =>
      runner.invoke(described, {
        event: JSON.stringify(event),
        requestId: 'request-1',
        invokedArn: 'arn:fn:live',
      });
  }

  async close(): Promise<void> {
    await this.#runner?.close();
    this.#assembly?.remove();
    this.#assembly = undefined;
  }

  /** Waits for a line with a text in it. */
  async logged(text: string): Promise<void> {
    while (!this.lines.some((line) => line.includes(text))) await sleep(5);
  }
}

function exampleFunction({ directory }: Assembly): LambdaFunction {
  return {
    logicalId: 'Fn',
    name: 'fn',
    arn: 'arn:fn',
    codeDirectory: `${directory}/asset.Fn`,
    handler: 'index.handler',
    memorySizeMb: 128,
    timeoutMs: 5_000,
    environment: { OWN: 'value' },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: whatever a test's function returns
export async function payloadOf(invoked: Invoked): Promise<any> {
  const result = await invoked;
  if (!('payload' in result)) throw new Error(`no payload: ${JSON.stringify(result)}`);
  return JSON.parse(result.payload);
}

export async function errorOf(invoked: Invoked) {
  const result = await invoked;
  return 'error' in result ? result.error : undefined;
}

export async function streamOf(invoked: Invoked) {
  const result = await invoked;
  if (!('stream' in result)) throw new Error(`no stream: ${JSON.stringify(result)}`);
  return result.stream;
}

/** What came through a stream, and why there is no more when it broke off. */
async function readUntilBroken(invoked: Invoked): Promise<[text: string, error?: string]> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of await streamOf(invoked)) chunks.push(chunk);
  } catch (error) {
    return [Buffer.concat(chunks).toString(), (error as Error).message];
  }
  return [Buffer.concat(chunks).toString()];
}

export const counting = 'let calls = 0; const id = Math.random();';
export const streaming = (body: string) =>
  `exports.handler = awslambda.streamifyResponse(async (event, output, context) => { ${body} });`;

const exited = (how: string) => ({
  errorType: 'Runtime.ExitError',
  errorMessage: `RequestId: request-1 Error: Runtime ${how}`,
});
const never = 'await new Promise(() => {});';
const moment = 'await new Promise((resolve) => setTimeout(resolve, 50));';

/**
 * What a function meets in an execution environment, and what its caller gets. One suite for all
 * kinds of environment, so that what one does, the other does too, in the same words.
 */
export function describeFunctions(environment: string, startEnvironment?: StartEnvironment): void {
  describe(environment, () => {
    const tested = new FunctionUnderTest(startEnvironment);
    const prepare: FunctionUnderTest['prepare'] = (...parameters) => tested.prepare(...parameters);

    afterEach(() => tested.close());

    describe('a function', () => {
      it('gets the event and returns JSON', async () => {
        const invoke = prepare('exports.handler = async (event) => ({ got: event });');

        expect(await payloadOf(invoke({ a: 1 }))).toEqual({ got: { a: 1 } });
      });

      it('that returns nothing returns null', async () => {
        expect(await payloadOf(prepare('exports.handler = () => {};')())).toBeNull();
      });

      it('gets a context', async () => {
        const invoke = prepare(`exports.handler = async (_, { xRayTraceId, ...context }) => ({
        ...context, remaining: context.getRemainingTimeInMillis(),
      });`);

        const context = await payloadOf(invoke());

        expect(context).toEqual({
          awsRequestId: 'request-1',
          functionName: 'fn',
          functionVersion: '$LATEST',
          invokedFunctionArn: 'arn:fn:live',
          logGroupName: '/aws/lambda/fn',
          logStreamName: expect.stringMatching(/^local\//),
          memoryLimitInMB: '128',
          remaining: expect.any(Number),
        });
        expect(context.remaining).toBeGreaterThan(3_000);
        expect(context.remaining).toBeLessThanOrEqual(5_000);
      });

      it('has the environment variables of its own, of Lambda, and no others', async () => {
        const invoke = prepare('exports.handler = async () => process.env;');

        const { AWS_LAMBDA_RUNTIME_API, ...variables } = await payloadOf(invoke());

        expect(variables).toEqual({
          AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
          AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '128',
          AWS_LAMBDA_FUNCTION_NAME: 'fn',
          AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
          AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
          AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/fn',
          AWS_LAMBDA_LOG_STREAM_NAME: expect.stringMatching(/^local\//),
          AWS_REGION: 'eu-central-1',
          LAMBDA_TASK_ROOT: expect.stringMatching(/^\//),
          OWN: 'value',
          TZ: ':UTC',
          _HANDLER: 'index.handler',
        });
      });

      it('has what it writes to its outputs handed on, line by line', async () => {
        const invoke = prepare(`exports.handler = async () => {
        process.stdout.write('one\\ntwo\\n'); process.stderr.write('three\\n');
      };`);

        await invoke();
        for (const text of ['one', 'two', 'three']) await tested.logged(text);

        expect(tested.lines.toSorted()).toEqual(['fn: one', 'fn: three', 'fn: two']);
      });

      it('may be an export of an export, in a file of its own', async () => {
        const invoke = prepare('exports.api = { list: async () => 1 };', {
          lambda: { handler: 'index.api.list' },
        });

        expect(await payloadOf(invoke())).toBe(1);
      });

      it('is loaded as CommonJS, as below /var/task', async () => {
        const invoke = prepare(`
        const { join } = require('node:path');
        module.exports.handler = async () => [typeof module, __dirname === join(__filename, '..')];
      `);

        expect(await payloadOf(invoke())).toEqual(['object', true]);
      });

      it.each([
        ['throws', "throw new TypeError('oops')", { errorType: 'TypeError', errorMessage: 'oops' }],
        ['rejects with a text', "throw 'oops'", { errorType: 'string', errorMessage: 'oops' }],
        [
          'throws what is not quite an error',
          "throw { name: 'Own', message: 'oops' }",
          { errorType: 'object', errorMessage: '[object Object]' },
        ],
        [
          'returns what JSON has no word for',
          'return 1n',
          {
            errorType: 'Runtime.JSONStringifyError',
            errorMessage: 'Unable to stringify response body',
          },
        ],
      ])('that %s fails, and its environment goes on', async (_, statement, error) => {
        const invoke = prepare(
          `${counting} exports.handler = async ({ bad }) => { calls++; if (bad) { ${statement} } return calls; };`,
          { maxEnvironments: 1 },
        );

        expect(await errorOf(invoke({ bad: true }))).toMatchObject(error);
        expect(await payloadOf(invoke({}))).toBe(2);
      });

      it.each([
        ['exits', 'process.exit(3)', exited('exited with error: exit status 3')],
        ['exits with 0', 'process.exit()', exited('exited without providing a reason')],
        ['waits for nothing', never, exited('exited without providing a reason')],
        [
          'has an exception that nothing catches',
          `setTimeout(() => { throw new RangeError('late'); }); ${never}`,
          exited('exited with error: exit status 1'),
        ],
        [
          'has a rejection that nothing handles',
          `Promise.reject(new Error('nobody')); ${never}`,
          exited('exited with error: exit status 1'),
        ],
        [
          'needs more memory than it has',
          'const all = []; for (;;) all.push(new Array(100000).fill({}))',
          exited('exited with error: signal: aborted'),
        ],
      ])('that %s fails, and its environment ends', async (_, statement, error) => {
        const invoke = prepare(
          `${counting} exports.handler = async ({ bad }) => { calls++; if (bad) { ${statement} } return calls; };`,
          { lambda: { timeoutMs: 20_000 } },
        );

        expect(await errorOf(invoke({ bad: true }))).toEqual(error);
        expect(await payloadOf(invoke({}))).toBe(1);
      });

      it('that leaves a rejection behind ends its environment, when it has answered as well', async () => {
        const invoke = prepare(`${counting} exports.handler = async () => {
        setTimeout(() => Promise.reject(new Error('behind')), 50);
        return ++calls;
      };`);

        expect(await payloadOf(invoke())).toBe(1);
        await tested.logged('behind');
        await sleep(300);

        expect(await payloadOf(invoke())).toBe(1);
      });

      it.each([
        ['throws while it is loaded', "throw new Error('at start');", 'Error', 'at start'],
        [
          'does not exist',
          'exports.other = 1;',
          'Runtime.HandlerNotFound',
          'index.handler is undefined or not exported',
        ],
        [
          'is no function',
          'exports.handler = 1;',
          'Runtime.HandlerNotFound',
          'index.handler is not a function',
        ],
        [
          'takes a callback',
          'exports.handler = (event, context, callback) => {};',
          'Runtime.CallbackHandlerDeprecated',
          'ERROR: AWS Lambda has removed support for callback-based function handlers starting with Node.js 24. You need to modify this function to use a supported handler signature to use Node.js 24 or later. For more information see https://docs.aws.amazon.com/lambda/latest/dg/nodejs-handler.html.',
        ],
        [
          'does not parse',
          'exports.handler = async ( => {}',
          'Runtime.UserCodeSyntaxError',
          "SyntaxError: Unexpected token '=>'",
        ],
      ])('that %s fails', async (_, code, errorType, errorMessage) => {
        expect(await errorOf(prepare(code)())).toMatchObject({ errorType, errorMessage });
      });

      it('that requires what is not there fails', async () => {
        const error = await errorOf(prepare("require('nothing');")());

        expect(error?.errorType).toBe('Runtime.ImportModuleError');
        expect(error?.errorMessage).toMatch(/^Error: Cannot find module 'nothing'\n/);
      });

      it('that takes too long fails, and its environment is not used again', async () => {
        const code = `${counting} exports.handler = async ({ slow }) => {
        if (slow) await new Promise((resolve) => setTimeout(resolve, 60_000));
        return ++calls;
      };`;
        const invoke = prepare(code, { lambda: { timeoutMs: 700 } });
        await invoke();

        const error = await errorOf(invoke({ slow: true }));

        expect(error).toEqual({
          errorType: 'Sandbox.Timedout',
          errorMessage: 'RequestId: request-1 Error: Task timed out after 0.70 seconds',
        });
        expect(await payloadOf(invoke())).toBe(1);
      });

      it('that blocks its thread is stopped as well', async () => {
        const invoke = prepare('exports.handler = () => { for (;;); };', {
          lambda: { timeoutMs: 700 },
        });

        expect(await errorOf(invoke())).toMatchObject({ errorType: 'Sandbox.Timedout' });
      });

      it.each([128, 512, 1_769])(
        'of %s MB has the heap that Lambda gives it',
        async (memorySizeMb) => {
          const code = `exports.handler = async () =>
        require('node:v8').getHeapStatistics().heap_size_limit / 2 ** 20;`;
          const invoke = prepare(code, {
            // The heap is no matter of NODE_OPTIONS: Lambda starts Node with parameters that win.
            lambda: {
              memorySizeMb,
              environment: { NODE_OPTIONS: '--max-old-space-size=77 --max-semi-space-size=1' },
            },
          });

          const newSpaceMb = Math.floor(memorySizeMb / 10);
          const semiSpaceMb = Math.floor(newSpaceMb / 2);
          const youngMb = 3 * 2 ** Math.ceil(Math.log2(semiSpaceMb));
          expect(await payloadOf(invoke())).toBe(memorySizeMb - newSpaceMb + youngMb);
        },
      );

      it('has what NODE_OPTIONS sets for it, and the length of headers that Lambda sets', async () => {
        const code = `exports.handler = async () => [
        require('node:dns').getDefaultResultOrder(),
        process.sourceMapsEnabled,
        require('node:http').maxHeaderSize,
      ];`;
        const NODE_OPTIONS = '--dns-result-order=ipv6first --enable-source-maps';
        const invoke = prepare(code, { lambda: { environment: { NODE_OPTIONS } } });

        expect(await payloadOf(invoke())).toEqual(['ipv6first', true, 81_920]);
      });

      it('that Node cannot be started for fails', async () => {
        const invoke = prepare('exports.handler = async () => 1;', {
          lambda: { environment: { NODE_OPTIONS: '--no-such-option' } },
        });

        const error = await errorOf(invoke());

        expect(error?.errorMessage).toContain('Runtime exited with error: exit status 9');
        expect(tested.lines.join()).toContain('--no-such-option');
      });
    });

    describe('a streaming function', () => {
      it('has what it writes handed on, the metadata first', async () => {
        const invoke = prepare(
          streaming(`
          const stream = awslambda.HttpResponseStream.from(output, { statusCode: 201 });
          stream.write('one '); stream.write(Buffer.from('two')); stream.end();
        `),
        );

        const text = (await buffer(await streamOf(invoke()))).toString();

        expect(text).toBe(`{"statusCode":201}${'\0'.repeat(8)}one two`);
      });

      it('may begin with nothing, and write what is no text as JSON', async () => {
        const invoke = prepare(
          streaming(`
          const stream = awslambda.HttpResponseStream.from(output, { statusCode: 201 });
          stream.write(''); stream.write({ a: 1 }); stream.end();
        `),
        );

        const text = (await buffer(await streamOf(invoke()))).toString();

        expect(text).toBe(`{"statusCode":201}${'\0'.repeat(8)}{"a":1}`);
      });

      it('sends no metadata when it never writes', async () => {
        const invoke = prepare(
          streaming('awslambda.HttpResponseStream.from(output, { statusCode: 201 }).end();'),
        );

        expect(await buffer(await streamOf(invoke()))).toHaveLength(0);
      });

      it('that fails before it writes fails like any other', async () => {
        const error = await errorOf(prepare(streaming("throw new RangeError('early')"))());

        expect(error).toMatchObject({ errorType: 'RangeError', errorMessage: 'early' });
      });

      it.each([
        ['fails', "throw new Error('midway');", 'Error: midway'],
        [
          'adds metadata when it has begun',
          'awslambda.HttpResponseStream.from(output, {});',
          'Runtime.InvalidStreamingOperation: Cannot set content-type, too late.',
        ],
        [
          'breaks its stream, and fails',
          "output.removeAllListeners('error').on('error', () => {}).destroy(); throw new Error();",
          'Runtime.TruncatedResponse: The response ended before it was complete.',
        ],
      ])('that %s midway breaks off, and its environment goes on', async (_, statement, error) => {
        const invoke = prepare(
          `${counting} ${streaming(`
          calls++;
          if (event.short) return output.end(String(calls));
          output.write('first,'); output.write('second'); ${moment} ${statement}
        `)}`,
          { maxEnvironments: 1 },
        );

        expect(await readUntilBroken(invoke())).toEqual(['first,second', error]);
        expect(await readUntilBroken(invoke({ short: true }))).toEqual(['2']);
      });

      it.each([
        ['destroys its stream', 'output.destroy();'],
        [
          'destroys its stream with an error',
          "output.destroy(new Error('broken')); throw new Error();",
        ],
        ['writes after the end', "output.end('.'); output.write('more');"],
        ['has a rejection that nothing handles', "Promise.reject(new Error('nobody'));"],
        ['exits', 'process.exit(1);'],
      ])('that %s midway breaks off, and its environment ends', async (_, statement) => {
        const invoke = prepare(
          `${counting} ${streaming(`
          calls++;
          if (event.short) return output.end(String(calls));
          output.write('first,'); output.write('second'); ${moment} ${statement} ${never}
        `)}`,
          { maxEnvironments: 1 },
        );

        const [text] = await readUntilBroken(invoke());
        expect(text).toMatch(/^first,second\.?$/);
        expect(await readUntilBroken(invoke({ short: true }))).toEqual(['1']);
      });

      it('that fails when its stream has ended has answered', async () => {
        const invoke = prepare(streaming("output.end('all'); throw new Error('after');"));

        expect(await readUntilBroken(invoke())).toEqual(['all']);
        await tested.logged('after');
      });

      it('that does not end its stream runs until it times out', async () => {
        const invoke = prepare(streaming("output.write('x');"), { lambda: { timeoutMs: 700 } });

        const [text, error] = await readUntilBroken(invoke());

        expect([text, error]).toEqual([
          'x',
          expect.stringContaining('timed out after 0.70 seconds'),
        ]);
      });

      it('that promises nothing fails', async () => {
        const code = `exports.handler = awslambda.streamifyResponse((event, output) => {});`;

        expect((await errorOf(prepare(code)()))?.errorMessage).toBe(
          'Streaming does not support non-async handlers.',
        );
      });

      it('waits for its reader', async () => {
        const invoke = prepare(
          `${streaming(`
          const chunk = Buffer.alloc(65536);
          for (let index = 0; index < 600; index++) {
            globalThis.written = index;
            if (!output.write(chunk)) await new Promise((resolve) => output.once('drain', resolve));
          }
          output.end();
        `)}setInterval(() => console.log('written', globalThis.written), 20).unref();`,
        );

        const stream = await streamOf(invoke());
        // A busy machine may report several times before the first chunk is written.
        const reports = () =>
          tested.lines.map((line) => Number(line.split(' ').at(-1))).filter(Number.isFinite);
        while (reports().length < 10) await sleep(20);

        expect(reports().at(-1)).toBeLessThan(300);
        expect(await buffer(stream)).toHaveLength(600 * 65_536);
      });

      it('goes on to its end when its reader has gone away, and only then serves the next', async () => {
        const invoke = prepare(
          `${counting} ${streaming(`
          calls++;
          if (event.short) return output.end(String(calls));
          for (let index = 0; index < 400; index++) {
            const hasRoom = output.write(Buffer.alloc(65536));
            if (!hasRoom) await new Promise((resolve) => output.once('drain', resolve));
          }
          process.stdout.write('all written\\n');
          output.end();
        `)}`,
          { maxEnvironments: 1 },
        );

        const stream = await streamOf(invoke());
        await new Promise((resolve) => stream.once('readable', resolve));
        stream.destroy();
        const [next] = await readUntilBroken(invoke({ short: true }));

        expect(next).toBe('2');
        expect(tested.lines).toContain('fn: all written');
      });
    });
  });
}
