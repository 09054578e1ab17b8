import { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { WorkerOptions } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { LambdaFunction } from '../../../local/functions/lambda-functions.ts';

/** A thread of which the test sends the messages. */
class StubWorker extends EventEmitter {
  readonly file: string;
  readonly options: WorkerOptions;
  readonly posted: Record<string, unknown>[] = [];
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();

  constructor(url: URL, options: WorkerOptions) {
    super();
    const variables = options.env as Record<string, string>;
    if (variables.NODE_OPTIONS) throw new Error(`invalid: ${variables.NODE_OPTIONS}`);
    this.file = url.pathname.split('/').at(-1)!;
    this.options = options;
    workers.push(this);
  }

  postMessage(message: Record<string, unknown>): void {
    this.posted.push(message);
  }

  terminate = jest.fn(async () => {
    this.emit('exit', 1);
  });
}

let workers: StubWorker[];
jest.unstable_mockModule('node:worker_threads', () => ({ Worker: StubWorker }));
const { WorkerEnvironment } = await import('../../../local/functions/worker-environment.ts');

const lambda: LambdaFunction = {
  logicalId: 'Fn',
  name: 'fn',
  arn: 'arn:fn',
  codeDirectory: '/code',
  handler: 'index.handler',
  memorySizeMb: 128,
  timeoutMs: 500,
  environment: { OWN: 'value' },
};
const nowMs = 1_700_000_000_000;

let lines: string[];
let onEnd: jest.Mock<() => void>;
let onFinished: jest.Mock<() => void>;

beforeEach(() => {
  jest.useFakeTimers({ now: nowMs, doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  workers = [];
  lines = [];
  onEnd = jest.fn();
  onFinished = jest.fn();
});

afterEach(() => {
  jest.useRealTimers();
});

const settled = () => new Promise((resolve) => setImmediate(resolve));

function create(changed: Partial<LambdaFunction> = {}, isDebugged?: boolean) {
  const options = {
    variables: { AWS_REGION: 'local' },
    log: (line: string) => lines.push(line),
    onEnd,
  };
  const environment = new WorkerEnvironment({ ...lambda, ...changed }, options, isDebugged);
  return { environment, worker: workers.at(-1)! };
}

/** An environment whose function has been loaded, and an invocation that has begun. */
function createInvoked() {
  const { environment, worker } = create();
  worker.emit('message', { type: 'ready' });
  return { environment, worker, result: invoke(environment) };
}

function invoke(environment: InstanceType<typeof WorkerEnvironment>) {
  const invocation = { event: '{"a":1}', requestId: 'request-1', invokedArn: 'arn:fn:live' };
  return environment.invoke(invocation, onFinished);
}

async function streamOf(result: ReturnType<typeof invoke>): Promise<Readable> {
  return ((await result) as { stream: Readable }).stream;
}

const exited = (how: string, requestId = 'request-1') => ({
  errorType: 'Runtime.ExitError',
  errorMessage: `RequestId: ${requestId} Error: Runtime exited ${how}`,
});

describe('the thread of an environment', () => {
  it('has the code, the variables and the heap of its function', () => {
    const { worker } = create();

    expect(worker.file).toBe('execution-environment-worker.js');
    expect(worker.options).toEqual({
      workerData: { codeDirectory: '/code', handler: 'index.handler', isDebugged: false },
      env: {
        AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '128',
        AWS_LAMBDA_FUNCTION_NAME: 'fn',
        AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
        AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
        AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/fn',
        AWS_LAMBDA_LOG_STREAM_NAME: expect.stringMatching(/^local\/\d+$/),
        AWS_REGION: 'local',
        LAMBDA_TASK_ROOT: '/code',
        OWN: 'value',
        TZ: ':UTC',
        _HANDLER: 'index.handler',
      },
      execArgv: ['--max-http-header-size=81920'],
      resourceLimits: { maxOldGenerationSizeMb: 116, maxYoungGenerationSizeMb: 18 },
      stdout: true,
      stderr: true,
    });
  });

  it('is told when a debugger may pause it', () => {
    const { options } = create({}, true).worker;

    expect(options.workerData.isDebugged).toBe(true);
    expect(options.execArgv).toContain('--disable-warning=ExperimentalWarning');
  });

  it('has a log stream of its own, as its invocations know', () => {
    const names = [createInvoked(), createInvoked()].map(({ worker }) => {
      const { logStreamName } = worker.posted[0]!.context as { logStreamName: string };
      const variables = worker.options.env as Record<string, string>;
      expect(variables.AWS_LAMBDA_LOG_STREAM_NAME).toBe(logStreamName);
      return logStreamName;
    });

    expect(new Set(names).size).toBe(2);
  });

  it('has the lines of its outputs logged', async () => {
    const { worker } = create();

    worker.stdout.write('one\n');
    worker.stderr.write('two\n');
    await settled();

    expect(lines).toEqual(['one', 'two']);
  });

  it('fails at its start where Node refuses its options', async () => {
    const { environment } = create({ environment: { NODE_OPTIONS: '--none' } });
    const atOnce = onEnd.mock.calls.length;

    expect(await environment.started()).toEqual(exited('with error: exit status 9', ''));
    expect(lines[0]).toBe('Uncaught Error: invalid: --none');
    expect([atOnce, onEnd.mock.calls.length]).toEqual([0, 1]);
    await expect(environment.stop()).resolves.toBeUndefined();
  });
});

describe('the start of an environment', () => {
  it.each([
    ['is over when the function is loaded', { type: 'ready' }, undefined],
    [
      'has the error of the function',
      { type: 'init-error', error: { errorType: 'Error', errorMessage: 'oops' } },
      { errorType: 'Error', errorMessage: 'oops' },
    ],
  ])('%s, with no limit any more', async (_, message, expected) => {
    const { environment, worker } = create();

    worker.emit('message', message);

    expect(await environment.started()).toEqual(expected);
    expect(jest.getTimerCount()).toBe(0);
    expect(onEnd).not.toHaveBeenCalled();
  });

  it('has ten seconds, after which the thread is stopped', async () => {
    const { environment, worker } = create();

    jest.advanceTimersByTime(9_999);
    const before = worker.terminate.mock.calls.length;
    jest.advanceTimersByTime(1);

    expect([before, worker.terminate.mock.calls.length]).toEqual([0, 1]);
    expect(await environment.started()).toEqual({
      errorType: 'Sandbox.Timedout',
      errorMessage: 'Initialization timed out',
    });
    expect(onEnd).toHaveBeenCalledTimes(1);
    expect(lines).toEqual([]);
  });

  it('has no limit where a debugger may pause it', () => {
    const { worker } = create({}, true);

    jest.advanceTimersByTime(3_600_000);

    expect(worker.terminate).not.toHaveBeenCalled();
  });

  it('fails with the exit of the thread', async () => {
    const { environment, worker } = create();

    worker.emit('exit', 3);

    const error = exited('with error: exit status 3', '');
    expect(await environment.started()).toEqual(error);
    expect(lines).toEqual([JSON.stringify(error)]);
    expect(onEnd).toHaveBeenCalledTimes(1);
  });
});

describe('an invocation in a thread', () => {
  it('gets its event and a context', () => {
    const { worker } = createInvoked();

    expect(worker.posted).toEqual([
      {
        type: 'invoke',
        id: 1,
        event: '{"a":1}',
        creditBytes: 262_144,
        context: {
          awsRequestId: 'request-1',
          deadlineMs: nowMs + 500,
          functionName: 'fn',
          functionVersion: '$LATEST',
          invokedFunctionArn: 'arn:fn:live',
          logGroupName: '/aws/lambda/fn',
          logStreamName: expect.any(String),
          memoryLimitInMB: '128',
        },
      },
    ]);
  });

  it('has a result, after which the environment is free and its time is not counted', async () => {
    const { worker, result } = createInvoked();

    worker.emit('message', { type: 'result', id: 1, payload: '1' });

    expect(await result).toEqual({ payload: '1' });
    expect(onFinished).toHaveBeenCalledTimes(1);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is not answered by what belongs to another', async () => {
    const { environment, worker, result } = createInvoked();
    worker.emit('message', { type: 'result', id: 1, payload: '1' });
    await result;
    worker.emit('message', { type: 'result', id: 1, payload: 'between' });

    const next = invoke(environment);
    worker.emit('message', { type: 'result', id: 1, payload: 'late' });
    worker.emit('message', { type: 'result', id: 2, payload: '2' });

    expect(await next).toEqual({ payload: '2' });
  });

  it('may fail, and its environment goes on', async () => {
    const { worker, result } = createInvoked();
    const error = { errorType: 'TypeError', errorMessage: 'oops' };

    worker.emit('message', { type: 'error', id: 1, error });

    expect(await result).toEqual({ error });
    expect(lines).toEqual([`Invoke Error ${JSON.stringify(error)}`]);
    expect(onFinished).toHaveBeenCalledTimes(1);
    expect(onEnd).not.toHaveBeenCalled();
  });

  it('may stream, with credit for what is read', async () => {
    const { worker, result } = createInvoked();
    const bytes = Buffer.alloc(262_144, 'x');
    worker.emit('message', { type: 'chunk', id: 1, data: bytes });
    const stream = await streamOf(result);
    const beforeEnd = onFinished.mock.calls.length;

    const all = text(stream);
    await settled();
    worker.emit('message', { type: 'chunk', id: 1, data: Buffer.from('end') });
    worker.emit('message', { type: 'end', id: 1 });

    expect(await all).toBe(`${bytes}end`);
    expect(worker.posted[1]).toEqual({ type: 'credit', id: 1, bytes: bytes.length });
    expect([beforeEnd, onFinished.mock.calls.length]).toEqual([0, 1]);
  });

  it('may stream nothing', async () => {
    const { worker, result } = createInvoked();

    worker.emit('message', { type: 'end', id: 1 });

    expect(await text(await streamOf(result))).toBe('');
    expect(onFinished).toHaveBeenCalledTimes(1);
  });

  it.each([
    [
      'fails',
      { type: 'error', error: { errorType: 'TypeError', errorMessage: 'oops' } },
      'TypeError: oops',
      1,
    ],
    [
      'is broken off',
      { type: 'truncated' },
      'Runtime.TruncatedResponse: The response ended before it was complete.',
      0,
    ],
  ])('has its stream fail when it %s', async (_, message, expected, finished) => {
    const { worker, result } = createInvoked();
    worker.emit('message', { type: 'chunk', id: 1, data: Buffer.from('half') });
    const stream = await streamOf(result);

    worker.emit('message', { ...message, id: 1 });

    await expect(text(stream)).rejects.toThrow(expected);
    expect(onFinished).toHaveBeenCalledTimes(finished);
  });

  it('has the time of its function, after which its environment ends', async () => {
    const { worker, result } = createInvoked();

    jest.advanceTimersByTime(499);
    const before = worker.terminate.mock.calls.length;
    jest.advanceTimersByTime(1);

    const error = {
      errorType: 'Sandbox.Timedout',
      errorMessage: 'RequestId: request-1 Error: Task timed out after 0.50 seconds',
    };
    expect(await result).toEqual({ error });
    expect([before, worker.terminate.mock.calls.length]).toEqual([0, 1]);
    expect(lines).toEqual([`Invoke Error ${JSON.stringify(error)}`]);
    expect([onFinished.mock.calls.length, onEnd.mock.calls.length]).toEqual([0, 1]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it.each<[string, () => unknown, number, string, string[]]>([
    ['exits', () => undefined, 3, 'with error: exit status 3', []],
    ['exits with 0', () => undefined, 0, 'without providing a reason', []],
    [
      'throws',
      () => Object.assign(new RangeError('late'), { stack: 'RangeError: late\n    at x' }),
      1,
      'with error: exit status 1',
      ['Uncaught RangeError: late', '    at x'],
    ],
    [
      'throws without a trace',
      () => Object.assign(new RangeError('late'), { stack: undefined }),
      1,
      'with error: exit status 1',
      ['Uncaught late'],
    ],
    ['throws a text', () => 'late', 1, 'with error: exit status 1', ['Uncaught late']],
    ['throws nothing', () => null, 1, 'with error: exit status 1', ['Uncaught null']],
    [
      'needs too much memory',
      () => Object.assign(new Error('full'), { code: 'ERR_WORKER_OUT_OF_MEMORY', stack: 'full' }),
      1,
      'with error: signal: aborted',
      ['Uncaught full'],
    ],
  ])('fails when its thread %s', async (_, thrown, status, how, logged) => {
    const { worker, result } = createInvoked();
    const error = exited(how);

    if (thrown() !== undefined) worker.emit('error', thrown());
    worker.emit('exit', status);

    expect(await result).toEqual({ error });
    expect(lines).toEqual([
      ...logged,
      JSON.stringify(error),
      `Invoke Error ${JSON.stringify(error)}`,
    ]);
    expect([onFinished.mock.calls.length, onEnd.mock.calls.length]).toEqual([0, 1]);
  });

  it('fails with the exit of its thread between two invocations', async () => {
    const { environment, worker } = create();
    worker.emit('message', { type: 'ready' });
    worker.emit('exit', 1);
    const before = [onEnd.mock.calls.length, lines.length];

    const result = await invoke(environment);

    expect(before).toEqual([0, 0]);
    expect(result).toEqual({ error: exited('with error: exit status 1') });
    expect(worker.posted).toEqual([]);
    expect(onEnd).toHaveBeenCalledTimes(1);
  });
});

describe('an environment that is stopped', () => {
  it('ends without a word between two invocations', async () => {
    const { environment, worker } = create();
    worker.emit('message', { type: 'ready' });

    await environment.stop();

    expect(worker.terminate).toHaveBeenCalledTimes(1);
    expect(onEnd).toHaveBeenCalledTimes(1);
    expect(lines).toEqual([]);
  });

  it('fails what it runs', async () => {
    const { environment, result } = createInvoked();

    await environment.stop();

    expect(await result).toEqual({ error: exited('with error: exit status 1') });
    expect([onFinished.mock.calls.length, onEnd.mock.calls.length]).toEqual([0, 1]);
  });
});
