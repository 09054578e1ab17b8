import { availableParallelism } from 'node:os';
import { ExecutionEnvironment } from './execution-environment.ts';
import type {
  FunctionError,
  Invocation,
  InvocationResult,
  Invoke,
  LambdaFunction,
} from './lambda-functions.ts';

/** What the runner needs besides the functions. */
export interface RunnerOptions {
  /** The environment variables that Lambda would add to a function's own. */
  readonly variablesOf: (lambda: LambdaFunction) => Readonly<Record<string, string>>;
  /** The folder of a function's present code; undefined for its asset. @default - always the asset */
  readonly codeOf?: (lambda: LambdaFunction) => string | undefined;
  readonly log: (functionName: string, line: string) => void;
}

interface Waiting {
  readonly invocation: Invocation;
  readonly resolve: (result: InvocationResult | Promise<InvocationResult>) => void;
}

// More environments than processors are useful only if functions wait, such as for a slow client.
const maxEnvironmentsOfCaller = Math.max(4, availableParallelism());
const maxEnvironments = 8 * maxEnvironmentsOfCaller;

// Lambda's limits for a synchronous invocation: 6 MB either way.
const payloadMaxBytes = 6_291_556;

// Lambda keeps an idle environment for minutes. A developer's machine needs the memory sooner.
const idleMaxMs = 60_000;

/** Runs each function in a bounded number of execution environments. */
export class FunctionRunner {
  readonly #options: RunnerOptions;
  readonly #pools = new Map<string, EnvironmentPool>();
  /** Settles when the code that is being built can run, or could not be built. */
  #newCode: Promise<unknown> = Promise.resolve();

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  readonly invoke: Invoke = async (lambda, invocation, signal) => {
    await this.#newCode;
    if (Buffer.byteLength(invocation.event) > payloadMaxBytes) return { error: requestTooLarge };
    const result = await this.#poolOf(lambda).run(invocation, signal);
    if ('payload' in result && Buffer.byteLength(result.payload) > payloadMaxBytes) {
      return { error: responseTooLarge };
    }
    return result;
  };

  /**
   * Replaces the functions' code. Invocations that arrive before it is built wait for it. The old code finishes
   * those that are running, and stays if the build fails. Calls must not overlap.
   *
   * @param built resolves when `codeOf` returns the new code
   * @throws the error of a failed build
   */
  replaceCode(built: Promise<unknown>): Promise<void> {
    const replaced = built.then(() => {
      for (const pool of this.#pools.values()) pool.endOutdated();
    });
    this.#newCode = replaced.catch(() => {});
    return replaced;
  }

  /** Stops all execution environments. Invocations under way fail, and no other may begin. */
  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.close()));
  }

  #poolOf(lambda: LambdaFunction): EnvironmentPool {
    const pool = this.#pools.get(lambda.logicalId) ?? new EnvironmentPool(lambda, this.#options);
    this.#pools.set(lambda.logicalId, pool);
    return pool;
  }
}

/**
 * The execution environments of one function. They are started one at a time, because starts slow down each
 * other and the running invocations, most of which are shorter than a start. So that callers do not wait for
 * each other, as on Lambda, each can use only a part of the environments.
 */
class EnvironmentPool {
  readonly #lambda: LambdaFunction;
  readonly #options: RunnerOptions;
  readonly #maxEnvironments: number;
  readonly #all = new Set<ExecutionEnvironment>();
  /** With the timers that end them. The last one is used next. */
  readonly #idle = new Map<ExecutionEnvironment, NodeJS.Timeout>();
  readonly #waiting = new Set<Waiting>();
  #isStarting = false;

  constructor(lambda: LambdaFunction, options: RunnerOptions) {
    this.#lambda = lambda;
    this.#options = options;
    this.#maxEnvironments = Math.min(maxEnvironments, lambda.reservedConcurrency ?? Infinity);
  }

  async run(invocation: Invocation, signal: AbortSignal): Promise<InvocationResult> {
    if (signal.aborted) return { error: cancelled };
    const { promise, resolve } = Promise.withResolvers<InvocationResult>();
    const waiting = { invocation, resolve };
    this.#waiting.add(waiting);
    signal.addEventListener('abort', () => this.#refuse(waiting, cancelled));
    this.#schedule();
    return promise;
  }

  /** Stops the idle environments of old code. `#release` stops the others. */
  endOutdated(): void {
    for (const environment of this.#idle.keys()) {
      if (environment.codeDirectory !== this.#codeDirectory()) void environment.stop();
    }
  }

  async close(): Promise<void> {
    for (const waiting of this.#waiting) this.#refuse(waiting, cancelled);
    await Promise.all([...this.#all].map((environment) => environment.stop()));
  }

  #codeDirectory(): string {
    return this.#options.codeOf?.(this.#lambda) ?? this.#lambda.codeDirectory;
  }

  #schedule(): void {
    for (const waiting of this.#waiting) {
      const { invocation, resolve } = waiting;
      if (this.#hasEnough(invocation.caller)) continue;
      const [environment, timer] = [...this.#idle].at(-1) ?? [];
      if (!environment) {
        void this.#startAnother();
        return;
      }
      clearTimeout(timer);
      this.#idle.delete(environment);
      this.#waiting.delete(waiting);
      resolve(environment.invoke(invocation, () => this.#release(environment)));
    }
  }

  #hasEnough(caller: string | undefined): boolean {
    const inUse = [...this.#all].filter((environment) => environment.isServing(caller));
    return inUse.length >= maxEnvironmentsOfCaller;
  }

  async #startAnother(): Promise<void> {
    if (this.#isStarting || this.#all.size >= this.#maxEnvironments) return;
    this.#isStarting = true;
    const lambda = { ...this.#lambda, codeDirectory: this.#codeDirectory() };
    const { variablesOf, log } = this.#options;
    const environment: ExecutionEnvironment = new ExecutionEnvironment(lambda, {
      variables: variablesOf(lambda),
      log: (line) => log(lambda.name, line),
      onEnd: () => this.#remove(environment),
    });
    this.#all.add(environment);
    const error = await environment.started;
    this.#isStarting = false;
    if (error) {
      log(lambda.name, `Init Error ${JSON.stringify(error)}`);
      // As on Lambda, an invocation that waits for the start gets its error.
      const [first] = this.#waiting;
      if (first) this.#refuse(first, error);
      await environment.stop();
      this.#schedule();
    } else this.#release(environment);
  }

  #release(environment: ExecutionEnvironment): void {
    if (environment.codeDirectory === this.#codeDirectory()) {
      const timer = setTimeout(() => void environment.stop(), idleMaxMs).unref();
      this.#idle.set(environment, timer);
    } else void environment.stop();
    this.#schedule();
  }

  #remove(environment: ExecutionEnvironment): void {
    this.#all.delete(environment);
    clearTimeout(this.#idle.get(environment));
    this.#idle.delete(environment);
    this.#schedule();
  }

  #refuse(waiting: Waiting, error: FunctionError): void {
    if (this.#waiting.delete(waiting)) waiting.resolve({ error });
  }
}

const cancelled: FunctionError = {
  errorType: 'ServiceException',
  errorMessage: 'The request was cancelled before the function could begin.',
};

const requestTooLarge: FunctionError = {
  errorType: 'RequestEntityTooLargeException',
  errorMessage: `Request must be smaller than ${payloadMaxBytes} bytes for the InvokeFunction operation`,
};

const responseTooLarge: FunctionError = {
  errorType: 'Function.ResponseSizeTooLarge',
  errorMessage: `Response payload size exceeded maximum allowed payload size (${payloadMaxBytes} bytes).`,
};
