import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { FunctionRunner } from '../../../local/functions/function-runner.ts';
import type { LambdaFunction } from '../../../local/functions/lambda-functions.ts';
import { closedGate } from '../../helpers/gate.ts';
import { type Assembly, writeAssembly } from '../small-template.ts';

let assembly: Assembly;
let runner: FunctionRunner;
let lines: string[];

afterEach(async () => {
  await runner.close();
  assembly.remove();
});

function prepare(code: string, overrides: Partial<LambdaFunction> = {}, maxEnvironments?: number) {
  assembly = writeAssembly({}, { Fn: code });
  lines = [];
  runner = new FunctionRunner({
    variables: { AWS_REGION: 'eu-central-1' },
    log: (name, line) => lines.push(`${name}: ${line}`),
    maxEnvironments,
  });
  const lambda: LambdaFunction = {
    logicalId: 'Fn',
    name: 'fn',
    arn: 'arn:fn',
    codeDirectory: `${assembly.directory}/asset.Fn`,
    handler: 'index.handler',
    memorySizeMb: 128,
    timeoutMs: 3_000,
    environment: { OWN: 'value' },
    ...overrides,
  };
  return (event: unknown = {}) =>
    runner.invoke(lambda, {
      event: JSON.stringify(event),
      requestId: 'request-1',
      invokedArn: 'arn:fn:live',
    });
}

// biome-ignore lint/suspicious/noExplicitAny: whatever a test's function returns
async function payloadOf(invoked: ReturnType<FunctionRunner['invoke']>): Promise<any> {
  const result = await invoked;
  if (!('payload' in result)) throw new Error(`no payload: ${JSON.stringify(result)}`);
  return JSON.parse(result.payload);
}

async function errorOf(invoked: ReturnType<FunctionRunner['invoke']>) {
  const result = await invoked;
  return 'error' in result ? result.error : undefined;
}

const counting = 'let calls = 0; const id = Math.random();';

describe('function', () => {
  it('gets the event and returns JSON', async () => {
    const invoke = prepare('exports.handler = async (event) => ({ got: event });');

    expect(await payloadOf(invoke({ a: 1 }))).toEqual({ got: { a: 1 } });
  });

  it('that returns nothing returns null', async () => {
    expect(await payloadOf(prepare('exports.handler = async () => {};')())).toBeNull();
  });

  it('gets a context', async () => {
    const invoke = prepare(`exports.handler = async (_, context) => ({
      ...context, remaining: context.getRemainingTimeInMillis(),
    });`);

    const askedAtMs = Date.now();
    const context = await payloadOf(invoke());
    const elapsedMs = Date.now() - askedAtMs;

    expect(context).toEqual({
      awsRequestId: 'request-1',
      callbackWaitsForEmptyEventLoop: true,
      functionName: 'fn',
      functionVersion: '$LATEST',
      invokedFunctionArn: 'arn:fn:live',
      logGroupName: '/aws/lambda/fn',
      logStreamName: expect.stringMatching(/^local\//),
      memoryLimitInMB: '128',
      remaining: expect.any(Number),
    });
    expect(context.remaining).toBeGreaterThanOrEqual(3_000 - elapsedMs);
    expect(context.remaining).toBeLessThanOrEqual(3_000);
  });

  it('has the environment variables of its own, of Lambda, and no others', async () => {
    const invoke = prepare('exports.handler = async () => process.env;');

    const environment = await payloadOf(invoke());

    expect(environment).toEqual({
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '128',
      AWS_LAMBDA_FUNCTION_NAME: 'fn',
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
      AWS_REGION: 'eu-central-1',
      LAMBDA_TASK_ROOT: expect.stringContaining('asset.Fn'),
      OWN: 'value',
      TZ: ':UTC',
      _HANDLER: 'index.handler',
    });
  });

  it('has its log handed on, line by line', async () => {
    const invoke = prepare(`exports.handler = async () => {
      console.log('one\\ntwo'); console.error('three');
    };`);

    await invoke();
    while (lines.length < 3) await sleep(5);

    expect(lines.sort()).toEqual(['fn: one', 'fn: three', 'fn: two']);
  });

  it.each([
    ['throws', "throw new TypeError('oops')", { errorType: 'TypeError', errorMessage: 'oops' }],
    ['rejects with a text', "throw 'oops'", { errorType: 'string', errorMessage: 'oops' }],
    ['exits', 'process.exit(3)', { errorType: 'Runtime.ExitError' }],
    [
      'crashes later',
      "setTimeout(() => { throw new RangeError('late'); }); await new Promise(() => {})",
      { errorType: 'RangeError', errorMessage: 'late' },
    ],
    [
      'needs more memory than it has',
      'const all = []; for (;;) all.push(new Array(100000).fill({}))',
      { errorType: 'Runtime.OutOfMemory' },
    ],
  ])('that %s fails, and the next invocation does not', async (_, statement, error) => {
    // Filling the memory takes seconds on a busy machine.
    const code = `exports.handler = async ({ bad }) => { if (bad) { ${statement} } };`;
    const invoke = prepare(code, { timeoutMs: 25_000 });

    expect(await errorOf(invoke({ bad: true }))).toMatchObject(error);
    expect(await payloadOf(invoke({}))).toBeNull();
    expect(lines.join()).toContain('fn: Invoke Error');
  });

  it.each([
    ['throws while it is loaded', "throw new Error('at start');", 'at start'],
    ['does not exist', 'exports.other = 1;', 'index.handler is not a function'],
    ['takes a callback', 'exports.handler = (event, context, callback) => {};', 'Callback-based'],
  ])('that %s fails', async (_, code, message) => {
    expect((await errorOf(prepare(code)()))?.errorMessage).toContain(message);
  });

  it('that takes too long fails, and its environment is not used again', async () => {
    const code = `${counting} exports.handler = async ({ slow }) => {
      if (slow) await new Promise(() => {});
      return ++calls;
    };`;
    const invoke = prepare(code, { timeoutMs: 1_000 });
    await invoke();

    const error = await errorOf(invoke({ slow: true }));

    expect(error).toMatchObject({ errorType: 'Sandbox.Timedout' });
    expect(error?.errorMessage).toMatch(/request-1 Error: Task timed out after 1.00 seconds/);
    expect(await payloadOf(invoke())).toBe(1);
  });

  it('that blocks its thread is stopped as well', async () => {
    const invoke = prepare('exports.handler = () => { for (;;); };', { timeoutMs: 100 });

    expect(await errorOf(invoke())).toMatchObject({ errorType: 'Sandbox.Timedout' });
  });

  it('may not return more than 6 MB', async () => {
    const invoke = prepare("exports.handler = async () => 'x'.repeat(6_291_557);");

    expect(await errorOf(invoke())).toMatchObject({ errorType: 'Function.ResponseSizeTooLarge' });
  });

  it('is not given more than 6 MB', async () => {
    const invoke = prepare('exports.handler = async () => 1;');

    const error = await errorOf(invoke('x'.repeat(6_291_557)));

    expect(error).toMatchObject({ errorType: 'RequestEntityTooLargeException' });
  });

  it('is loaded as CommonJS, as below /var/task', async () => {
    const invoke = prepare(`
      const { join } = require('node:path');
      module.exports.handler = async () => [typeof module, __dirname === join(__filename, '..')];
    `);

    expect(await payloadOf(invoke())).toEqual(['object', true]);
  });
});

describe('execution environment', () => {
  const code = `${counting} exports.handler = async ({ gate, ms }) => {
    if (gate) await fetch(gate);
    await new Promise((resolve) => setTimeout(resolve, ms));
    return { id, calls: ++calls };
  };`;

  it('is reused', async () => {
    const invoke = prepare(code);

    const first = await payloadOf(invoke({}));
    const second = await payloadOf(invoke({}));

    expect(second).toEqual({ id: first.id, calls: 2 });
  });

  it('serves one invocation at a time; another one is started beside it', async () => {
    await using gate = await closedGate();
    const invoke = prepare(code);

    const invoked = [1, 2].map(() => payloadOf(invoke({ gate: gate.url })));
    await gate.arrivals(2);
    gate.open();
    const results = await Promise.all(invoked);

    expect(results.map(({ calls }) => calls)).toEqual([1, 1]);
    expect(results[0].id).not.toBe(results[1].id);
  });

  it.each([
    ['the runner allows', {}, 1],
    ['the function reserves', { reservedConcurrency: 1 }, undefined],
  ])('is not started in larger numbers than %s: invocations wait', async (_, overrides, max) => {
    const invoke = prepare(code, overrides, max);

    const results = await Promise.all([1, 2, 3].map(() => payloadOf(invoke({ ms: 100 }))));

    expect(new Set(results.map(({ id }) => id)).size).toBe(1);
    expect(results.map(({ calls }) => calls)).toEqual([1, 2, 3]);
  });

  it('is not started at all for a function that reserves none', async () => {
    const invoke = prepare(code, { reservedConcurrency: 0 });

    expect(await errorOf(invoke())).toMatchObject({ errorType: 'TooManyRequestsException' });
  });

  it('is stopped with the runner, whatever it does', async () => {
    await using gate = await closedGate();
    const invoke = prepare(code);
    const pending = errorOf(invoke({ gate: gate.url }));
    await gate.arrivals(1);

    await runner.close();

    expect(await pending).toBeDefined();
    expect(await errorOf(invoke())).toMatchObject({ errorType: 'ServiceException' });
  });
});

describe('streaming function', () => {
  const streaming = (body: string) =>
    `exports.handler = awslambda.streamifyResponse(async (event, output, context) => { ${body} });`;

  async function streamOf(invoked: ReturnType<FunctionRunner['invoke']>) {
    const result = await invoked;
    if (!('stream' in result)) throw new Error(`no stream: ${JSON.stringify(result)}`);
    return result.stream;
  }

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

  it('sends no metadata when it never writes, as on Lambda', async () => {
    const invoke = prepare(
      streaming('awslambda.HttpResponseStream.from(output, { statusCode: 201 }).end();'),
    );

    expect(await buffer(await streamOf(invoke()))).toHaveLength(0);
  });

  it('that fails before it writes fails like any other', async () => {
    expect(await errorOf(prepare(streaming("throw new Error('early')"))())).toMatchObject({
      errorMessage: 'early',
    });
  });

  it('that fails midway breaks its stream', async () => {
    await using gate = await closedGate();
    const invoke = prepare(
      streaming(`
        output.write('x');
        await fetch(event.gate);
        throw new Error('midway');
      `),
    );

    const stream = await streamOf(invoke({ gate: gate.url }));
    const [first] = await once(stream, 'data');
    const broken = expect(finished(stream)).rejects.toThrow('midway');
    gate.open();

    expect(first.toString()).toBe('x');
    await broken;
  });

  it('writes no further ahead than its reader takes', async () => {
    const invoke = prepare(
      `${streaming(`
        const chunk = Buffer.alloc(65536);
        for (let index = 0; index < 200; index++) {
          globalThis.written = index;
          if (!output.write(chunk)) await new Promise((resolve) => output.once('drain', resolve));
        }
        output.end();
      `)}setInterval(() => console.log('written', globalThis.written), 20).unref();`,
    );

    const stream = await streamOf(invoke());
    // A busy machine may report several times before the first chunk is written.
    const reports = () =>
      lines.map((line) => Number(line.split(' ').at(-1))).filter(Number.isFinite);
    while (reports().length < 10) await sleep(20);
    const ahead = reports().at(-1);

    expect(ahead).toBeLessThan(20);
    expect(await buffer(stream)).toHaveLength(200 * 65_536);
  });

  it('learns that its reader has gone away, and serves the next one', async () => {
    const invoke = prepare(
      `${counting} ${streaming(`
        calls++;
        if (event.short) return output.end(String(calls));
        try {
          for (;;) await new Promise((resolve, reject) => {
            output.once('error', reject);
            output.write(Buffer.alloc(65536), (error) => (error ? reject(error) : resolve()));
          });
        } catch { console.log('stopped'); }
      `)}`,
      {},
      1,
    );

    const stream = await streamOf(invoke());
    await new Promise((resolve) => stream.once('readable', resolve));
    stream.destroy();
    const next = await buffer(await streamOf(invoke({ short: true })));

    expect(next.toString()).toBe('2');
    // What a function logs and what it answers come by different ways.
    while (!lines.includes('fn: stopped')) await sleep(5);
  });

  it('that takes too long breaks its stream', async () => {
    const invoke = prepare(streaming("output.write('x'); await new Promise(() => {});"), {
      timeoutMs: 1_000,
    });

    await expect(buffer(await streamOf(invoke()))).rejects.toThrow('timed out');
  });
});
