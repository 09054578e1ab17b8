import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { EnvironmentPool } from '../../../local/functions/environment-pool.ts';
import type {
  EnvironmentOptions,
  ExecutionEnvironment,
  FunctionError,
  InvocationResult,
} from '../../../local/functions/execution-environment.ts';
import type { LambdaFunction } from '../../../local/functions/lambda-functions.ts';

const processors = 2;
jest.unstable_mockModule('node:os', () => ({ availableParallelism: () => processors }));
const module = await import('../../../local/functions/environment-pool.ts');

/** An environment whose invocations end when the test says so. */
class StubEnvironment implements ExecutionEnvironment {
  readonly options: EnvironmentOptions;
  isStopped = false;
  requestId: string | undefined;
  /** The last stream that it has begun. */
  stream = new Readable({ highWaterMark: 4, read() {} });
  #resolve = (_result: InvocationResult) => {};
  #onFinished = () => {};

  constructor(options: EnvironmentOptions) {
    this.options = options;
  }

  started = () => start;

  invoke({ requestId }: { requestId: string }, onFinished: () => void): Promise<InvocationResult> {
    this.requestId = requestId;
    this.#onFinished = onFinished;
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  answer(): void {
    this.#resolve({ payload: '1' });
    this.finish();
  }

  /** Begins a stream of which the reader takes nothing. */
  beginStream(text = 'full'): void {
    this.stream = new Readable({ highWaterMark: 4, read() {} });
    this.stream.push(text);
    this.#resolve({ stream: this.stream });
  }

  finish(): void {
    this.requestId = undefined;
    this.#onFinished();
  }

  /** Ends later, as a thread does. */
  stop = async () => {
    this.isStopped = true;
    setTimeout(this.options.onEnd, 10);
  };
}

const tick = (ms: number) => jest.advanceTimersByTimeAsync(ms);

let environments: StubEnvironment[];
/** How each environment starts. */
let start: Promise<FunctionError | undefined>;
let idleProcessors: number;
let lines: string[];

beforeEach(() => {
  jest.useFakeTimers();
  environments = [];
  start = Promise.resolve(undefined);
  idleProcessors = 0;
  lines = [];
});

afterEach(() => {
  jest.useRealTimers();
});

interface PoolOptions extends Partial<LambdaFunction> {
  readonly maxEnvironments?: number;
}

function createPool({ maxEnvironments, ...rest }: PoolOptions = {}): EnvironmentPool {
  const lambda = { logicalId: 'Fn', name: 'fn', timeoutMs: 60_000, ...rest } as LambdaFunction;
  return new module.EnvironmentPool(lambda, {
    variablesOf: ({ name }) => ({ OF: name }),
    log: (name, line) => lines.push(`${name}: ${line}`),
    idleProcessors: () => idleProcessors,
    ...(maxEnvironments !== undefined && { maxEnvironments }),
    startEnvironment: (_, options) => {
      const environment = new StubEnvironment(options);
      environments.push(environment);
      return environment;
    },
  });
}

function run(pool: EnvironmentPool, requestId: number, signal?: AbortSignal) {
  return pool.run({ event: '{}', requestId: String(requestId), invokedArn: 'arn' }, signal);
}

/** Runs so many invocations, the first of them with the number 0. */
function runMany(pool: EnvironmentPool, count: number): void {
  for (let number = 0; number < count; number++) void run(pool, number);
}

const begun = () => environments.map(({ requestId }) => requestId);
const running = () => environments.filter(({ isStopped }) => !isStopped);

/** Begins as many invocations as there are processors, each in an environment of its own. */
async function occupyProcessors(pool: EnvironmentPool): Promise<void> {
  runMany(pool, processors);
  await tick(1_000);
}

const tooMany = {
  error: { errorType: 'TooManyRequestsException', errorMessage: 'Rate Exceeded.' },
};
const cancelled = {
  error: {
    errorType: 'ServiceException',
    errorMessage: 'The request was cancelled before the function could begin.',
  },
};

describe('a pool of environments', () => {
  it('starts the first at once, with the variables that its function gets', () => {
    const pool = createPool();

    void run(pool, 1);

    expect(environments.map(({ options }) => options.variables)).toEqual([{ OF: 'fn' }]);
  });

  it('gives the result of an invocation, and uses its environment again', async () => {
    const pool = createPool();
    const result = run(pool, 1);
    await tick(0);

    environments[0]!.answer();
    void run(pool, 2);
    await tick(0);

    expect(await result).toEqual({ payload: '1' });
    expect(begun()).toEqual(['2']);
  });

  it('logs what its environments log, with the name of the function', () => {
    void run(createPool(), 1);

    environments[0]!.options.log('a line');

    expect(lines).toEqual(['fn: a line']);
  });

  it('starts another when an invocation has waited for 30 ms', async () => {
    const pool = createPool();
    await tick(1_000);
    runMany(pool, 2);

    await tick(29);
    const before = environments.length;
    await tick(1);

    expect([before, environments.length]).toEqual([1, 2]);
  });

  it('starts none beyond the processors while all of these are busy', async () => {
    runMany(createPool(), 6);
    idleProcessors = 0.49;

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
    expect(begun()).toEqual(['1', '2']);
  });

  it('starts more where processors are idle although invocations wait for half a second', async () => {
    const pool = createPool();
    idleProcessors = 0.5;
    runMany(pool, 3);

    await tick(499);
    const before = environments.length;
    await tick(30);

    expect([before, environments.length]).toEqual([2, 3]);
  });

  it('starts no more than three for each processor', async () => {
    const pool = createPool();
    idleProcessors = 2;

    runMany(pool, 20);
    await tick(5_000);

    expect(environments).toHaveLength(3 * processors);
  });

  it.each<[string, PoolOptions]>([
    ['it allows', { maxEnvironments: 1 }],
    ['its function reserves', { reservedConcurrency: 1 }],
  ])('starts no more than %s', async (_, options) => {
    runMany(createPool(options), 3);

    await tick(5_000);

    expect(begun()).toEqual(['0']);
  });

  it('refuses every invocation of a function that reserves none', async () => {
    const pool = createPool({ reservedConcurrency: 0 });

    expect(await run(pool, 1)).toEqual(tooMany);
    expect(environments).toEqual([]);
  });

  it('gives invocations their turns in the order in which they came', async () => {
    const pool = createPool();
    runMany(pool, 6);
    await tick(1_000);

    environments[0]!.answer();
    await tick(0);

    expect(begun()).toEqual(['2', '1']);
  });

  it('lets an invocation begin in the environment that was used last', async () => {
    const pool = createPool();
    await occupyProcessors(pool);
    for (const index of [1, 0]) environments[index]!.answer();

    void run(pool, 77);

    expect(begun()).toEqual(['77', undefined]);
  });

  it.each([0, 1])('does not use an idle environment that has ended: %s', async (ended) => {
    const pool = createPool();
    await occupyProcessors(pool);
    for (const environment of environments) environment.answer();

    environments[ended]!.options.onEnd();
    void run(pool, 77);

    expect(environments[1 - ended]!.requestId).toBe('77');
    expect(environments[ended]!.requestId).toBeUndefined();
  });

  it('starts another at once for who waits when its only one ends', async () => {
    const pool = createPool({ maxEnvironments: 1 });
    runMany(pool, 2);
    await tick(100);

    environments[0]!.options.onEnd();
    await tick(0);

    expect(environments[1]?.requestId).toBe('1');
  });

  it('lets idle environments go after ten seconds, and keeps one', async () => {
    const pool = createPool();
    await Promise.all([pool.warmUp(), pool.warmUp(), pool.warmUp()]);

    await tick(9_999);
    const before = running().length;
    await tick(1);
    const after = running().length;
    void run(pool, 77);
    await tick(60_000);

    expect([before, after, running().length]).toEqual([3, 1, 1]);
    expect(running().map(({ requestId }) => requestId)).toEqual(['77']);
  });

  it('keeps the environments that were used in the last ten seconds', async () => {
    const pool = createPool();
    await Promise.all([pool.warmUp(), pool.warmUp(), pool.warmUp()]);
    await tick(5_000);

    runMany(pool, 2);
    for (const environment of environments.slice(1)) environment.answer();
    await tick(5_000);

    expect(environments.map(({ isStopped }) => isStopped)).toEqual([true, false, false]);
  });

  it('gives an invocation the error of the start that it waits for, and logs it', async () => {
    const pool = createPool();
    const error = { errorType: 'Error', errorMessage: 'no build' };
    start = Promise.resolve(error);
    const failed = run(pool, 1);
    await tick(0);

    start = Promise.resolve(undefined);
    void run(pool, 2);
    await tick(10);

    expect(await failed).toEqual({ error });
    expect(lines).toEqual([`fn: Init Error ${JSON.stringify(error)}`]);
    expect(environments.map(({ isStopped }) => isStopped)).toEqual([true, false]);
    expect(begun()).toEqual([undefined, '2']);
  });

  it('never begins an invocation that was given up while it waited', async () => {
    const pool = createPool();
    await occupyProcessors(pool);
    const giving = new AbortController();
    const givenUp = run(pool, 77, giving.signal);

    giving.abort();
    for (const environment of environments) environment.answer();
    await tick(1_000);

    expect(await givenUp).toEqual(cancelled);
    expect(begun()).toEqual([undefined, undefined]);
  });

  it('never begins an invocation that was given up before', async () => {
    expect(await run(createPool(), 1, AbortSignal.abort())).toEqual(cancelled);
    expect(environments).toEqual([]);
  });

  it.each([
    ['as long as its function may run', 15_000],
    ['as long as Lambda gives a start', 1_000],
  ])('lets an invocation wait no longer than %s', async (_, timeoutMs) => {
    const pool = createPool({ timeoutMs });
    await occupyProcessors(pool);
    const outcome = jest.fn();
    void run(pool, 77).then(outcome);

    await tick(Math.max(timeoutMs, 10_000) - 100);
    const before = outcome.mock.calls.length;
    await tick(200);

    expect(before).toBe(0);
    expect(outcome).toHaveBeenCalledWith(tooMany);
  });
});

describe('an environment with a stream', () => {
  /** How many environments there are when all of these are used and others wait. */
  async function environmentsInNeed(pool: EnvironmentPool): Promise<number> {
    runMany(pool, 6);
    await tick(1_000);
    return environments.length;
  }

  it.each<[string, number, (environment: StubEnvironment) => void]>([
    ['waits for its reader', 3, (environment) => environment.beginStream()],
    ['has room', 2, (environment) => environment.beginStream('f')],
    [
      'has lost its reader',
      2,
      (environment) => {
        environment.beginStream();
        environment.stream.destroy();
      },
    ],
    [
      'has written all',
      2,
      (environment) => {
        environment.beginStream();
        environment.finish();
      },
    ],
    ['has answered at once', 2, (environment) => environment.answer()],
  ])('that %s leaves room for so many: %s', async (_, expected, change) => {
    const pool = createPool();
    void run(pool, 77);
    await tick(0);

    change(environments[0]!);
    await tick(0);

    expect(await environmentsInNeed(pool)).toBe(expected);
  });

  it('counts again when it has written all later', async () => {
    const pool = createPool();
    void run(pool, 77);
    await tick(0);
    environments[0]!.beginStream();
    await tick(0);

    environments[0]!.finish();

    expect(await environmentsInNeed(pool)).toBe(2);
  });

  it.each([
    ['before its stream is taken', false],
    ['while its stream is read', true],
  ])('counts no more when it ends %s', async (_, isTaken) => {
    const pool = createPool();
    void run(pool, 77);
    await tick(0);

    environments[0]!.beginStream();
    if (isTaken) await tick(0);
    environments[0]!.options.onEnd();

    // The one that has ended is among them.
    expect(await environmentsInNeed(pool)).toBe(3);
  });
});

describe('a pool that is retired', () => {
  it('stops each environment when it is idle, and then says so', async () => {
    const pool = createPool();
    const onDrained = jest.fn();
    await occupyProcessors(pool);
    environments[0]!.answer();

    pool.retire(onDrained);
    const atFirst = [running().length, onDrained.mock.calls.length];
    environments[1]!.answer();
    await tick(1_000);

    expect(atFirst).toEqual([1, 0]);
    expect(running()).toEqual([]);
    expect(onDrained).toHaveBeenCalled();
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('a pool that is closed', () => {
  it('stops all environments and refuses who waits', async () => {
    const pool = createPool();
    await occupyProcessors(pool);
    environments[0]!.answer();
    runMany(pool, 1);
    const waiting = run(pool, 77);

    await pool.close();
    await tick(10);

    expect(await waiting).toEqual({
      error: { errorType: 'ServiceException', errorMessage: 'The local run is stopping.' },
    });
    expect(running()).toEqual([]);
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('a pool that is warmed up', () => {
  it.each([undefined, { errorType: 'Error', errorMessage: 'no build' }])(
    'has an environment, or says why not: %j',
    async (error) => {
      const pool = createPool();
      start = Promise.resolve(error);

      expect(await pool.warmUp()).toEqual(error);

      expect(running()).toHaveLength(error ? 0 : 1);
    },
  );
});
