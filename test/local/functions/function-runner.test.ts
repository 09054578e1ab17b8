import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type {
  EnvironmentOptions,
  ExecutionEnvironment,
  InvocationResult,
} from '../../../local/functions/execution-environment.ts';
import { FunctionRunner } from '../../../local/functions/function-runner.ts';
import type { LambdaFunction } from '../../../local/functions/lambda-functions.ts';
import { FunctionUnderTest, payloadOf } from './function-under-test.ts';

const noBuild = { errorType: 'Error', errorMessage: 'no build' };
const broken = '/broken';

/** An environment that answers with the folder of its code, at once or when the test says so. */
class StubEnvironment implements ExecutionEnvironment {
  readonly lambda: LambdaFunction;
  readonly #options: EnvironmentOptions;
  isStopped = false;
  answer = () => {};

  constructor(lambda: LambdaFunction, options: EnvironmentOptions) {
    this.lambda = lambda;
    this.#options = options;
  }

  started = async () => (this.lambda.codeDirectory === broken ? noBuild : undefined);

  invoke({ event }: { event: string }, onFinished: () => void): Promise<InvocationResult> {
    return new Promise((resolve) => {
      this.answer = () => {
        resolve({ payload: this.lambda.codeDirectory });
        onFinished();
      };
      if (event !== 'wait') this.answer();
    });
  }

  stop = async () => {
    this.isStopped = true;
    this.#options.onEnd();
  };
}

const tick = (ms: number) => jest.advanceTimersByTimeAsync(ms);

let environments: StubEnvironment[];
let runner: FunctionRunner;

beforeEach(() => {
  jest.useFakeTimers();
  environments = [];
  runner = new FunctionRunner({
    variablesOf: () => ({}),
    log: () => {},
    startEnvironment: (...parameters) => {
      const environment = new StubEnvironment(...parameters);
      environments.push(environment);
      return environment;
    },
  });
});

afterEach(() => {
  jest.useRealTimers();
});

const lambda = (codeDirectory: string, logicalId = 'Fn') =>
  ({ logicalId, name: 'fn', timeoutMs: 5_000, codeDirectory }) as LambdaFunction;
const old = lambda('old');

async function invoke(target: LambdaFunction, event = '{}') {
  const result = await runner.invoke(target, { event, requestId: 'request-1', invokedArn: 'arn' });
  return 'payload' in result ? result.payload : result;
}

/** The result, as far as it is known. */
function outcome<T>(promise: Promise<T>): { result?: T } {
  const known: { result?: T } = {};
  void promise.then((result) => Object.assign(known, { result }));
  return known;
}

const isStopped = () => environments.map((environment) => environment.isStopped);

describe('an invocation', () => {
  it('gets an environment of its function, which is used again', async () => {
    const answers = [await invoke(old), await invoke(old), await invoke(lambda('b', 'Other'))];

    expect(answers).toEqual(['old', 'old', 'b']);
    expect(environments.map((environment) => environment.lambda.logicalId)).toEqual([
      'Fn',
      'Other',
    ]);
  });

  it('runs in a thread where nothing else is said', async () => {
    jest.useRealTimers();
    const tested = new FunctionUnderTest();
    const threads = 'require("node:worker_threads")';

    const isMainThread = tested.prepare(`exports.handler = async () => ${threads}.isMainThread;`)();

    expect(await payloadOf(isMainThread)).toBe(false);
    await tested.close();
  });

  it.each([
    [
      'carry',
      (text: string) => invoke(old, text),
      'RequestEntityTooLargeException',
      /^Request must/,
    ],
    [
      'return',
      (text: string) => invoke(lambda(text, String(text.length))),
      'Function.ResponseSizeTooLarge',
      /^Response payload size exceeded .* \(6291556 bytes\)/,
    ],
  ])('may not %s more than 6 MB', async (_, send, errorType, errorMessage) => {
    const allowed = await send('ä'.repeat(3_145_778));
    const refused = await send(`${'ä'.repeat(3_145_778)}x`);

    expect(allowed).toEqual(expect.any(String));
    expect(refused).toEqual({
      error: { errorType, errorMessage: expect.stringMatching(errorMessage) },
    });
  });
});

describe('a function that is replaced', () => {
  it('answers with its new code who comes while that is on its way', async () => {
    const built = Promise.withResolvers<LambdaFunction[]>();
    await invoke(old);

    const replaced = runner.replace(built.promise);
    const answer = invoke(old);
    await tick(1_999);
    built.resolve([lambda('new')]);
    await replaced;

    expect(await answer).toBe('new');
    await runner.close();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('answers with its old code who has waited for two seconds, and the next at once', async () => {
    void runner.replace(new Promise(() => {}));
    const answer = outcome(invoke(old));

    await tick(1_999);
    const before = { ...answer };
    await tick(1);
    const next = outcome(invoke(old));
    await tick(0);

    expect([before, answer, next]).toEqual([{}, { result: 'old' }, { result: 'old' }]);
  });

  it('waits for the last of the codes that are on their way', async () => {
    const first = Promise.withResolvers<LambdaFunction[]>();
    const second = Promise.withResolvers<LambdaFunction[]>();
    const replaced = runner.replace(first.promise);
    const early = invoke(old);
    void runner.replace(second.promise);

    first.resolve([lambda('first')]);
    await replaced;
    const late = invoke(old);
    await tick(0);
    second.resolve([lambda('second')]);

    expect([await early, await late]).toEqual(['second', 'second']);
  });

  it('ends what is under way in the code that it began in, and its environment with it', async () => {
    const answer = invoke(old, 'wait');
    await tick(0);

    await runner.replace(Promise.resolve([lambda('new')]));
    const next = await invoke(old);
    const before = isStopped();
    environments[0]!.answer();

    expect([next, await answer]).toEqual(['new', 'old']);
    expect([before, isStopped()]).toEqual([
      [false, false],
      [true, false],
    ]);
  });

  it('keeps the code that it has, and has none started for nothing, when one fails', async () => {
    await invoke(old);
    const other = lambda('other', 'Other');

    const replaced = runner.replace(Promise.resolve([other, lambda(broken)]));

    await expect(replaced).rejects.toThrow('Error: no build');
    expect(await invoke(old)).toBe('old');
    expect(isStopped()).toEqual([false, true, true]);
  });

  it('keeps the code that it has when the new one does not come', async () => {
    await expect(runner.replace(Promise.reject(new Error('no build')))).rejects.toThrow('no build');

    expect(await invoke(old)).toBe('old');
  });
});

describe('a runner that is closed', () => {
  it('stops all environments, also of replaced code, and invokes nothing more', async () => {
    void invoke(old, 'wait');
    await tick(0);
    await runner.replace(Promise.resolve([lambda('new')]));

    await runner.close();

    expect(isStopped()).toEqual([true, true]);
    expect(await invoke(old)).toMatchObject({ error: { errorType: 'ServiceException' } });
  });

  it('takes no new code', async () => {
    const replaced = runner.replace(Promise.resolve([lambda('new')]));
    replaced.catch(() => {});

    await runner.close();

    await expect(replaced).rejects.toThrow('ServiceException: The local run is stopping.');
    expect(isStopped()).toEqual([true]);
  });
});
