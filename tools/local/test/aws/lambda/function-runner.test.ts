import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { availableParallelism } from 'node:os';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { listen } from '../../../../../test/helpers/loopback-server.ts';
import { temporaryDirectoryOfEachTest } from '../../../../../test/helpers/temporary-directory.ts';
import { FunctionRunner } from '../../../aws/lambda/function-runner.ts';
import type { LambdaFunction } from '../../../aws/lambda/lambda-functions.ts';

type Invoked = ReturnType<FunctionRunner['invoke']>;

const directory = temporaryDirectoryOfEachTest();
let runner: FunctionRunner;
/** The folder of the function's new code; undefined for the code of its asset. */
let newCode: string | undefined;
/** What the function has logged. */
let lines: string[];
/** How many environments have been started. */
let starts: number;

beforeEach(() => {
  newCode = undefined;
  lines = [];
  starts = 0;
});

afterEach(async () => {
  jest.useRealTimers();
  await runner.close();
});

/** Writes a function's code, and returns how to invoke it. */
function prepare(code: string, lambda: Partial<LambdaFunction> = {}) {
  directory.write('index.js', code);
  runner = new FunctionRunner({
    variablesOf: () => {
      starts++;
      return { AWS_REGION: 'eu-central-1' };
    },
    codeOf: () => newCode,
    log: (name, line) => lines.push(`${name}: ${line}`),
  });
  const described: LambdaFunction = {
    logicalId: 'Fn',
    name: 'fn',
    codeDirectory: directory.path,
    handler: 'index.handler',
    memorySizeMb: 128,
    timeoutMs: 20_000,
    environment: { OWN: 'value' },
    ...lambda,
  };
  const invocation = { requestId: 'request-1', invokedArn: 'arn:fn:live' };
  return (event: unknown = {}, signal = new AbortController().signal, caller?: string) =>
    runner.invoke(described, { event: JSON.stringify(event), ...invocation, caller }, signal);
}

// biome-ignore lint/suspicious/noExplicitAny: whatever a test's function returns
async function payloadOf(invoked: Invoked): Promise<any> {
  const result = await invoked;
  if (!('payload' in result)) throw new Error(`no payload: ${JSON.stringify(result)}`);
  return JSON.parse(result.payload);
}

async function errorOf(invoked: Invoked) {
  const result = await invoked;
  return 'error' in result ? result.error : undefined;
}

async function streamOf(invoked: Invoked) {
  const result = await invoked;
  if (!('stream' in result)) throw new Error(`no stream: ${JSON.stringify(result)}`);
  return result.stream;
}

/** The text of a stream, and the error if it broke off. */
async function readUntilBroken(invoked: Invoked): Promise<[text: string, error?: string]> {
  let text = '';
  try {
    for await (const chunk of await streamOf(invoked)) text += chunk;
  } catch (error) {
    return [text, (error as Error).message];
  }
  return [text];
}

async function untilLogged(text: string): Promise<void> {
  while (!lines.some((line) => line.includes(text))) await sleep(5);
}

/**
 * An address at which code in another thread waits, with `await fetch(url)`, until the test lets it
 * continue. The test is told of each arrival, so that it needs no sleep.
 */
async function closedGate() {
  const waiting: ServerResponse[] = [];
  const server = createServer((_incoming, outgoing) => {
    waiting.push(outgoing);
    server.emit('arrival');
  });
  return {
    ...(await listen(server)),
    /** Resolves when a given number of callers are waiting. */
    arrivals: async (count: number) => {
      while (waiting.length < count) await once(server, 'arrival');
    },
    /** Lets all waiting and all later callers continue. */
    open: () => {
      server.on('arrival', () => waiting.at(-1)!.end());
      for (const outgoing of waiting) outgoing.end();
    },
  };
}

const one = { reservedConcurrency: 1 };
const counting = 'let calls = 0; const id = Math.random();';
const streaming = (body: string) =>
  `exports.handler = awslambda.streamifyResponse(async (event, output, context) => { ${body} });`;

const never = 'await new Promise(() => {});';

describe('a function', () => {
  it('gets the event and a context, and returns JSON', async () => {
    const invoke = prepare(
      `exports.handler = async (event, context) => ({
        event, ...context, remaining: context.getRemainingTimeInMillis(),
      });`,
      { timeoutMs: 60_000 },
    );

    const { remaining, ...rest } = await payloadOf(invoke({ a: 1 }));

    expect(rest).toEqual({
      event: { a: 1 },
      awsRequestId: 'request-1',
      functionName: 'fn',
      functionVersion: '$LATEST',
      invokedFunctionArn: 'arn:fn:live',
      memoryLimitInMB: '128',
    });
    expect(remaining).toBeGreaterThan(30_000);
    expect(remaining).toBeLessThanOrEqual(60_000);
  });

  it("has its own environment variables and Lambda's, and no others", async () => {
    const invoke = prepare('exports.handler = () => process.env;');

    expect(await payloadOf(invoke())).toEqual({
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '128',
      AWS_LAMBDA_FUNCTION_NAME: 'fn',
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_REGION: 'eu-central-1',
      LAMBDA_TASK_ROOT: directory.path,
      OWN: 'value',
      TZ: ':UTC',
      _HANDLER: 'index.handler',
    });
  });

  it('is loaded as CommonJS, as in /var/task, and may use import()', async () => {
    const invoke = prepare(`
      const { join } = require('node:path');
      module.exports.handler = async () => [
        __dirname === join(__filename, '..'), typeof (await import('node:zlib')).gzipSync];
    `);

    expect(await payloadOf(invoke())).toEqual([true, 'function']);
    expect(lines).toEqual([]);
  });

  it('has its output logged line by line', async () => {
    const invoke = prepare(`exports.handler = () => {
      process.stdout.write('one\\ntwo\\n'); process.stderr.write('three\\n');
    };`);

    expect(await payloadOf(invoke())).toBeNull();
    for (const text of ['one', 'two', 'three']) await untilLogged(text);

    expect(lines.toSorted()).toEqual(['fn: one', 'fn: three', 'fn: two']);
  });

  it('with 512 MB has the same heap as on Lambda', async () => {
    const code = `exports.handler = () =>
      require('node:v8').getHeapStatistics().heap_size_limit / 2 ** 20;`;
    const invoke = prepare(code, { memorySizeMb: 512 });

    // A tenth is for the young generation, of which V8 makes three parts of a power of two.
    expect(await payloadOf(invoke())).toBe(512 - 51 + 3 * 32);
  });

  it('that fails is reported, and its environment serves the next invocation', async () => {
    const invoke = prepare(
      `${counting} exports.handler = async ({ how }) => {
        calls++;
        if (how === 'error') throw new TypeError('oops');
        if (how === 'text') throw 'oops';
        return how === 'no JSON' ? 1n : calls;
      };`,
      one,
    );
    const failing = (how: string) => errorOf(invoke({ how }));

    expect(await failing('error')).toMatchObject({ errorType: 'TypeError', errorMessage: 'oops' });
    expect(await failing('text')).toMatchObject({ errorType: 'string', errorMessage: 'oops' });
    expect(await failing('no JSON')).toMatchObject({ errorType: 'TypeError' });
    expect(await payloadOf(invoke())).toBe(4);
    expect(lines.join()).toContain('fn: Invoke Error {"errorType":"TypeError"');
  });

  it.each([
    ['exits', 'process.exit(3)', 3],
    ['has an uncaught error', `setTimeout(() => { throw new RangeError('late'); }); ${never}`, 1],
    ['has an unhandled rejection', `Promise.reject(new Error('late')); ${never}`, 1],
    [
      'needs more memory than it has',
      // Numbers, among which the collector looks for no references.
      'const all = []; for (;;) all.push(new Array(100_000).fill(0.5))',
      1,
    ],
  ])('that %s fails, and its environment is replaced', async (_, statement, status) => {
    const invoke = prepare(
      `${counting} exports.handler = async ({ bad }) => { calls++; if (bad) { ${statement} } return calls; };`,
      { reservedConcurrency: 1, memorySizeMb: 48 },
    );

    const failed = errorOf(invoke({ bad: true }));
    const waiting = payloadOf(invoke());

    expect(await failed).toEqual({
      errorType: 'Runtime.ExitError',
      errorMessage: `RequestId: request-1 Error: Runtime exited with error: exit status ${status}`,
    });
    expect(await waiting).toBe(1);
    const isUncaught = /fn: Uncaught \w*Error: late/.test(lines.join());
    expect(isUncaught).toBe(statement.includes('late'));
  });

  it('that dies between two invocations is replaced for the next', async () => {
    const invoke = prepare(
      `${counting} exports.handler = async () => {
        setTimeout(() => Promise.reject(new Error('behind')), 50); return ++calls; };`,
      one,
    );

    expect(await payloadOf(invoke())).toBe(1);
    await untilLogged('behind');
    expect(await payloadOf(invoke())).toBe(1);
  });

  it.each([
    ['throws while it is loaded', "throw new Error('at start');", 'Error', 'at start'],
    [
      'exports no handler',
      'exports.other = 1;',
      'Runtime.HandlerNotFound',
      'index.handler is undefined or not a function',
    ],
    ['does not parse', 'exports.handler = async ( => {}', 'SyntaxError', "Unexpected token '=>'"],
    ['exits while it is loaded', 'process.exit(3)', 'Runtime.ExitError', 'exit status 3'],
  ])('that %s fails every waiting invocation', async (_, code, errorType, message) => {
    const invoke = prepare(code);

    const errors = await Promise.all([errorOf(invoke()), errorOf(invoke())]);

    for (const error of errors) {
      expect(error).toMatchObject({ errorType, errorMessage: expect.stringContaining(message) });
    }
    expect(lines.join()).toContain('fn: Init Error');
  });

  it('that blocks its thread for too long fails, and its environment is replaced', async () => {
    const block = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';
    const code = `${counting} exports.handler = async ({ slow }) => {
      if (slow) { ${block} } return ++calls; };`;
    const invoke = prepare(code, { timeoutMs: 1_000, reservedConcurrency: 1 });
    await payloadOf(invoke());

    expect(await errorOf(invoke({ slow: true }))).toEqual({
      errorType: 'Sandbox.Timedout',
      errorMessage: 'RequestId: request-1 Error: Task timed out after 1.00 seconds',
    });
    expect(await payloadOf(invoke())).toBe(1);
  });

  it.each([
    ['receive', 'exports.handler = () => 0;', 'x', 'RequestEntityTooLargeException'],
    ['return', 'exports.handler = (n) => "x".repeat(n);', 1, 'Function.ResponseSizeTooLarge'],
  ])('may not %s more than 6 MB', async (_, code, unit, errorType) => {
    const maxBytes = 6_291_556 - 2;
    const invoke = prepare(code);
    const sized = (bytes: number) => invoke(unit === 1 ? bytes : 'x'.repeat(bytes));

    expect(await errorOf(sized(maxBytes))).toBeUndefined();
    expect(await errorOf(sized(maxBytes + 1))).toMatchObject({ errorType });
  });
});

describe('a streaming function', () => {
  /** Writes, and waits until that has left the function. */
  const writeFirst = `
    output.write('first,');
    await new Promise((resolve) => output.write('second', resolve));`;

  it.each([
    ['fails midway', "throw new Error('midway');", 'Error: midway', '2'],
    ['destroys its stream', 'output.destroy();', 'Error: Premature close', '2'],
    ['exits midway', `process.exit(1); ${never}`, 'Runtime.ExitError', '1'],
    ['does not end in time', never, 'Sandbox.Timedout', '1'],
  ])(
    'that %s breaks its stream, and the next invocation is served',
    async (_, statement, error, next) => {
      const invoke = prepare(
        `${counting} ${streaming(`
        calls++;
        if (event.short) return output.end(String(calls));
        ${writeFirst} output.write('more'); ${statement}
      `)}`,
        { timeoutMs: statement === never ? 1_000 : 20_000, reservedConcurrency: 1 },
      );

      const [text, cause] = await readUntilBroken(invoke());
      expect(text).toMatch(/^first,second/);
      expect(cause).toContain(error);
      expect(await readUntilBroken(invoke({ short: true }))).toEqual([next]);
    },
  );

  const chunks = 40;
  const writeMuch = `
    for (let index = 0; index < ${chunks}; index++) {
      globalThis.written = index;
      const hasRoom = output.write(Buffer.alloc(65536));
      if (!hasRoom) await new Promise((resolve) => output.once('drain', resolve));
    }
    globalThis.isAllWritten = true;
    output.end();`;

  it('waits for its reader before it writes more', async () => {
    const invoke = prepare(
      streaming(`
        const passTime = async (turns) => { while (turns-- > 0) await new Promise(setImmediate); };
        passTime(1_000).then(() => console.log('written: ' + written));
        ${writeMuch}
      `),
    );

    const stream = await streamOf(invoke());
    await untilLogged('written: ');

    expect(lines).toEqual(['fn: written: 0']);
    expect(await buffer(stream)).toHaveLength(chunks * 65_536);
  });

  it('continues to its end after its reader has gone, and only then serves the next invocation', async () => {
    const invoke = prepare(
      streaming(`if (event.short) return output.end(String(isAllWritten)); ${writeMuch}`),
      one,
    );

    const stream = await streamOf(invoke());
    await new Promise((resolve) => stream.once('readable', resolve));
    stream.destroy();

    expect(await readUntilBroken(invoke({ short: true }))).toEqual(['true']);
  });
});

describe('the environments of a function', () => {
  const code = `${counting} exports.handler = async ({ gate }) => {
    if (gate) await fetch(gate);
    return { id, calls: ++calls };
  };`;

  it('are reused, are started one at a time, and serve one invocation at a time each', async () => {
    await using gate = await closedGate();
    const invoke = prepare(code);
    const first = await payloadOf(invoke());

    const invoked = [1, 2, 3].map(() => payloadOf(invoke({ gate: gate.url })));
    await sleep(0);
    expect(starts).toBe(2);
    await gate.arrivals(3);
    gate.open();
    const results = await Promise.all(invoked);

    expect(results.map(({ calls }) => calls).toSorted()).toEqual([1, 1, 2]);
    expect(results.map(({ id }) => id)).toContain(first.id);
  });

  it('end when they have been idle for a minute', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    const invoke = prepare(code);
    const invocation = () => payloadOf(invoke());

    const first = await invocation();
    jest.advanceTimersByTime(59_999);
    const second = await invocation();
    jest.advanceTimersByTime(59_999);
    const third = await invocation();
    jest.advanceTimersByTime(60_000);
    const fourth = await invocation();

    expect([second.id, third.id]).toEqual([first.id, first.id]);
    expect(fourth.id).not.toBe(first.id);
  });

  it('are limited for each caller, so that others do not wait', async () => {
    await using gate = await closedGate();
    const invoke = prepare(code);
    const busy = Array.from({ length: 2 * Math.max(4, availableParallelism()) }, () =>
      payloadOf(invoke({ gate: gate.url }, undefined, 'one')),
    );

    const other = await payloadOf(invoke({}, undefined, 'other'));

    gate.open();
    const ids = (await Promise.all(busy)).map(({ id }) => id);
    expect(new Set(ids).size).toBe(busy.length / 2);
    expect(other.calls).toBe(1);
  });

  it('are no more than the function reserves, and do not run an invocation that was cancelled while it waited', async () => {
    await using gate = await closedGate();
    const invoke = prepare(code, one);
    const cancelling = new AbortController();
    const running = payloadOf(invoke({ gate: gate.url }));
    await gate.arrivals(1);

    const waiting = errorOf(invoke({}, cancelling.signal));
    const late = errorOf(invoke({}, AbortSignal.abort()));
    await sleep(0);
    expect(starts).toBe(1);
    cancelling.abort();

    expect(await waiting).toMatchObject({ errorType: 'ServiceException' });
    expect(await late).toMatchObject({ errorType: 'ServiceException' });
    gate.open();
    await running;
    expect((await payloadOf(invoke())).calls).toBe(2);
  });

  it('are stopped with the runner, whatever they do', async () => {
    await using gate = await closedGate();
    const invoke = prepare(code, one);
    const running = errorOf(invoke({ gate: gate.url }));
    await gate.arrivals(1);
    const waiting = errorOf(invoke());
    await sleep(0);

    await runner.close();

    expect(await running).toBeDefined();
    expect(await waiting).toMatchObject({ errorType: 'ServiceException' });
  });
});

describe('code that is replaced', () => {
  const answering = (text: string) =>
    `exports.handler = async ({ gate }) => { if (gate) await fetch(gate); return '${text}'; };`;

  it('serves the requests that arrive while it is built, and the old code finishes the others', async () => {
    await using gate = await closedGate();
    const invoke = prepare(answering('old'), { reservedConcurrency: 2 });
    const underWay = payloadOf(invoke({ gate: gate.url }));
    await gate.arrivals(1);
    // This one starts a second environment, which is idle afterwards.
    await payloadOf(invoke());
    const built = Promise.withResolvers<void>();

    const replaced = runner.replaceCode(built.promise);
    const waiting = payloadOf(invoke());
    await sleep(0);
    newCode = `${directory.path}/new`;
    mkdirSync(newCode);
    directory.write('new/index.js', answering('new'));
    built.resolve();
    await replaced;
    const answers = [await waiting, await payloadOf(invoke())];
    gate.open();

    expect([await underWay, ...answers]).toEqual(['old', 'new', 'new']);
    expect(await payloadOf(invoke())).toBe('new');
  });

  it('keeps the environments of a function with unchanged code', async () => {
    const invoke = prepare('const id = Math.random(); exports.handler = () => id;');
    const id = await payloadOf(invoke());

    await runner.replaceCode(Promise.resolve());

    expect(await payloadOf(invoke())).toBe(id);
  });
});
