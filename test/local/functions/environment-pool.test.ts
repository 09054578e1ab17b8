import { availableParallelism } from 'node:os';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EnvironmentPool } from '../../../local/functions/environment-pool.ts';
import type {
  ExecutionEnvironment,
  InvocationResult,
} from '../../../local/functions/execution-environment.ts';
import type { LambdaFunction } from '../../../local/functions/lambda-functions.ts';

/** An environment whose invocations end when the test says so. */
class StubEnvironment implements ExecutionEnvironment {
  isStopped = false;
  requestId: string | undefined;
  #finish = (_result: InvocationResult, _isDone: boolean) => {};

  started = () => start;

  invoke({ requestId }: { requestId: string }, onFinished: () => void): Promise<InvocationResult> {
    this.requestId = requestId;
    return new Promise((resolve) => {
      this.#finish = (result, isDone) => {
        resolve(result);
        if (isDone) onFinished();
      };
    });
  }

  answer(): void {
    this.requestId = undefined;
    this.#finish({ payload: '1' }, true);
  }

  /** Begins a stream of which the reader takes nothing. */
  streamUnread(): void {
    const stream = new Readable({ highWaterMark: 4, read() {} });
    stream.push('full');
    this.#finish({ stream }, false);
  }

  stop = async () => {
    this.isStopped = true;
  };
}

const processors = availableParallelism();
const count = 3 * processors;
const numbers = Array.from({ length: count }, (_, index) => index);
const tick = (ms: number) => jest.advanceTimersByTimeAsync(ms);

let environments: StubEnvironment[];
/** How each environment starts. */
let start: Promise<undefined>;
let idleProcessors: number;

beforeEach(() => {
  jest.useFakeTimers();
  environments = [];
  start = Promise.resolve(undefined);
  idleProcessors = 0;
});

afterEach(() => {
  jest.useRealTimers();
});

function createPool(timeoutMs = 60_000): EnvironmentPool {
  const lambda = { logicalId: 'Fn', name: 'fn', timeoutMs } as LambdaFunction;
  return new EnvironmentPool(lambda, {
    variablesOf: () => ({}),
    log: () => {},
    idleProcessors: () => idleProcessors,
    startEnvironment: () => {
      const environment = new StubEnvironment();
      environments.push(environment);
      return environment;
    },
  });
}

function run(pool: EnvironmentPool, requestId: number, signal?: AbortSignal) {
  return pool.run({ event: '{}', requestId: String(requestId), invokedArn: 'arn' }, signal);
}

const errorTypeOf = (result: InvocationResult) => 'error' in result && result.error.errorType;
const begun = () => environments.map(({ requestId }) => requestId);

describe('a pool of environments', () => {
  it('starts none beyond the processors while all of these are busy', async () => {
    const pool = createPool();

    for (const number of numbers) void run(pool, number);
    await tick(5_000);

    expect(environments).toHaveLength(processors);
  });

  it('starts no more than there are invocations, however long a start takes', async () => {
    const pool = createPool();
    const starting = Promise.withResolvers<undefined>();
    start = starting.promise;

    void run(pool, 1);
    await tick(5_000);
    const forOne = environments.length;
    void run(pool, 2);
    await tick(5_000);
    starting.resolve(undefined);
    await tick(0);

    expect(forOne).toBe(1);
    expect(begun()).toEqual(['1', '2'].slice(0, processors));
  });

  it('starts more where processors are idle although invocations wait', async () => {
    const pool = createPool();
    idleProcessors = 1;

    for (const number of numbers) void run(pool, number);
    await tick(5_000);

    expect(environments.length).toBeGreaterThan(processors);
  });

  it('starts more beside those that wait for the readers of their streams', async () => {
    const pool = createPool();
    for (const number of numbers) void run(pool, number);
    await tick(1_000);

    for (const environment of environments) environment.streamUnread();
    await tick(1_000);

    expect(environments).toHaveLength(2 * processors);
  });

  it('gives invocations their turns in the order in which they came', async () => {
    const pool = createPool();
    for (const number of numbers) void run(pool, number);
    await tick(1_000);

    environments[0]!.answer();
    await tick(0);

    expect(environments[0]!.requestId).toBe(String(processors));
  });

  it('lets idle environments go after a while, and keeps one', async () => {
    const pool = createPool();
    for (const number of numbers.slice(0, processors)) void run(pool, number);
    await tick(1_000);

    for (const environment of environments) environment.answer();
    await tick(30_000);

    expect(environments.filter(({ isStopped }) => !isStopped)).toHaveLength(1);
  });

  it('never begins an invocation that was given up while it waited', async () => {
    const pool = createPool();
    for (const number of numbers.slice(0, processors)) void run(pool, number);
    await tick(1_000);
    const giving = new AbortController();
    const givenUp = run(pool, 77, giving.signal);

    giving.abort();
    for (const environment of environments) environment.answer();
    await tick(1_000);

    expect(errorTypeOf(await givenUp)).toBe('ServiceException');
    expect(begun()).not.toContain('77');
  });

  it.each([
    ['as long as its function may run', 15_000],
    ['as long as Lambda gives a start', 1_000],
  ])('lets an invocation wait no longer than %s', async (_, timeoutMs) => {
    const pool = createPool(timeoutMs);
    for (const number of numbers.slice(0, processors)) void run(pool, number);
    await tick(1_000);
    const outcome = jest.fn();
    void run(pool, 77).then((result) => outcome(errorTypeOf(result)));

    await tick(Math.max(timeoutMs, 10_000) - 100);
    const before = outcome.mock.calls.length;
    await tick(200);

    expect(before).toBe(0);
    expect(outcome).toHaveBeenCalledWith('TooManyRequestsException');
  });
});
