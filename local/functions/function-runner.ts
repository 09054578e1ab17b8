import { availableParallelism } from 'node:os';
import type {
  ExecutionEnvironment,
  FunctionError,
  Invocation,
  InvocationResult,
  StartEnvironment,
} from './execution-environment.ts';
import type { LambdaFunction } from './lambda-functions.ts';
import { WorkerEnvironment } from './worker-environment.ts';

export interface RunnerOptions {
  /** What Lambda would add to a function's environment variables. */
  readonly variablesOf: (lambda: LambdaFunction) => Readonly<Record<string, string>>;
  /** Takes one line of a function's log. */
  readonly log: (functionName: string, line: string) => void;
  /** Execution environments of one function, unless the function reserves fewer. @default 32 */
  readonly maxEnvironments?: number;
  /** @default - a worker thread */
  readonly startEnvironment?: StartEnvironment;
}

interface Waiting {
  readonly invocation: Invocation;
  readonly sinceMs: number;
  readonly resolve: (result: InvocationResult) => void;
}

const defaultMaxEnvironments = 32;
const startWorker: StartEnvironment = (...parameters) => new WorkerEnvironment(...parameters);

// An answer usually takes less time than a cold start, and a cold start takes its time from the
// answers under way: up to one environment per processor, another is started for an invocation
// that has waited a moment; beyond that, only for one that would wait noticeably long.
const patienceMs = 30;
const longPatienceMs = 500;
const processors = availableParallelism();

// How long an invocation waits for new code: as long as a rebuild and a cold start usually take.
const newCodeMaxWaitMs = 2_000;

// Lambda's limits for a synchronous invocation: 6 MB either way.
const payloadMaxBytes = 6_291_556;

/**
 * Runs functions in execution environments: an idle one where there is one, else a new one, up to
 * a limit above which invocations wait their turn.
 *
 * It starts as many at a time as there are processors; Lambda starts any number at once.
 */
export class FunctionRunner {
  readonly #options: RunnerOptions;
  readonly #pools = new Map<string, EnvironmentPool>();
  /** Of earlier code, which still have something to finish. */
  readonly #retired = new Set<EnvironmentPool>();
  #newCode: Promise<unknown> | undefined;
  #isClosed = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  /** Invokes a function and waits for its result, or for its stream to begin. */
  async invoke(lambda: LambdaFunction, invocation: Invocation): Promise<InvocationResult> {
    while (this.#newCode) await this.#newCode;
    if (this.#isClosed) return { error: closedError };
    if (Buffer.byteLength(invocation.event) > payloadMaxBytes) return { error: requestTooLarge };
    let pool = this.#pools.get(lambda.logicalId);
    if (!pool) {
      pool = new EnvironmentPool(lambda, this.#options);
      this.#pools.set(lambda.logicalId, pool);
    }
    const result = await pool.run(invocation);
    if ('payload' in result && Buffer.byteLength(result.payload) > payloadMaxBytes) {
      return { error: responseTooLarge };
    }
    return result;
  }

  /**
   * Replaces functions, each by the one with the same logical id. An invocation that begins before
   * they are there waits for them, for a bounded time; one that is under way ends in the execution
   * environment that it began in.
   *
   * @throws Error when they do not come, or one cannot be initialized; then nothing is replaced
   */
  async replace(lambdas: Promise<readonly LambdaFunction[]>): Promise<void> {
    const replaced = lambdas.then((all) => this.#replace(all));
    const { promise: waitedEnough, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, newCodeMaxWaitMs);
    const newCode = Promise.race([replaced.catch(() => {}), waitedEnough]).then(() => {
      clearTimeout(timer);
      if (this.#newCode === newCode) this.#newCode = undefined;
    });
    this.#newCode = newCode;
    await replaced;
  }

  async #replace(lambdas: readonly LambdaFunction[]): Promise<void> {
    const pools = lambdas.map((lambda) => new EnvironmentPool(lambda, this.#options));
    const errors = await Promise.all(pools.map((pool) => pool.warmUp()));
    const error = errors.find((each) => each !== undefined);
    if (error || this.#isClosed) {
      await Promise.all(pools.map((pool) => pool.close()));
      const { errorType, errorMessage } = error ?? closedError;
      throw new Error(`${errorType}: ${errorMessage}`);
    }
    for (const pool of pools) {
      const { logicalId } = pool.lambda;
      this.#retire(this.#pools.get(logicalId));
      this.#pools.set(logicalId, pool);
    }
  }

  #retire(pool: EnvironmentPool | undefined): void {
    if (!pool) return;
    this.#retired.add(pool);
    pool.retire(() => this.#retired.delete(pool));
  }

  /** Stops all execution environments; what they were doing fails. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const pools = [...this.#pools.values(), ...this.#retired];
    await Promise.all(pools.map((pool) => pool.close()));
  }
}

/** The execution environments of one function. */
class EnvironmentPool {
  readonly lambda: LambdaFunction;
  readonly #options: RunnerOptions;
  readonly #maxEnvironments: number;
  readonly #all = new Set<ExecutionEnvironment>();
  readonly #idle: ExecutionEnvironment[] = [];
  readonly #waiting: Waiting[] = [];
  #starting = 0;
  #timer: NodeJS.Timeout | undefined;
  #onDrained: (() => void) | undefined;

  constructor(lambda: LambdaFunction, options: RunnerOptions) {
    this.lambda = lambda;
    this.#options = options;
    const maxEnvironments = options.maxEnvironments ?? defaultMaxEnvironments;
    this.#maxEnvironments = Math.min(maxEnvironments, lambda.reservedConcurrency ?? Infinity);
  }

  run(invocation: Invocation): Promise<InvocationResult> {
    if (this.#maxEnvironments < 1) return Promise.resolve({ error: tooManyRequests });
    const { promise, resolve } = Promise.withResolvers<InvocationResult>();
    this.#waiting.push({ invocation, resolve, sinceMs: performance.now() });
    this.#proceed();
    return promise;
  }

  /** Starts an environment before there is an invocation; gives the error when it cannot be initialized. */
  async warmUp(): Promise<FunctionError | undefined> {
    return this.#start();
  }

  /** Ends each environment as soon as it has nothing to do any more. */
  retire(onDrained: () => void): void {
    this.#onDrained = onDrained;
    this.#proceed();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    for (const { resolve } of this.#waiting.splice(0)) resolve({ error: closedError });
    await Promise.all([...this.#all].map((environment) => environment.stop()));
  }

  /** Gives waiting invocations to idle environments, and starts another where they wait too long. */
  #proceed(): void {
    while (this.#waiting.length > 0 && this.#idle.length > 0) {
      void this.#give(this.#waiting.shift()!, this.#idle.pop()!);
    }
    if (this.#onDrained && this.#waiting.length === 0) this.#drain();
    const first = this.#waiting[0];
    if (!first || !this.#canStart()) return;
    const waitedMs = performance.now() - first.sinceMs;
    if (waitedMs >= this.#patienceMs()) void this.#start();
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#proceed();
    }, patienceMs);
  }

  #drain(): void {
    for (const environment of this.#idle.splice(0)) void environment.stop();
    if (this.#all.size === 0) this.#onDrained?.();
  }

  #canStart(): boolean {
    return this.#all.size < this.#maxEnvironments && this.#starting < processors;
  }

  #patienceMs(): number {
    if (this.#all.size === 0) return 0;
    return this.#all.size < processors ? patienceMs : longPatienceMs;
  }

  async #start(): Promise<FunctionError | undefined> {
    this.#starting++;
    const { variablesOf, log, startEnvironment = startWorker } = this.#options;
    const environment: ExecutionEnvironment = startEnvironment(this.lambda, {
      variables: variablesOf(this.lambda),
      log: (line) => log(this.lambda.name, line),
      onEnd: () => this.#remove(environment),
    });
    this.#all.add(environment);
    const error = await environment.started();
    this.#starting--;
    if (error) {
      this.#options.log(this.lambda.name, `Init Error ${JSON.stringify(error)}`);
      // As on Lambda, the invocation that caused the start gets the error of the start.
      this.#waiting.shift()?.resolve({ error });
      this.#remove(environment);
      await environment.stop();
    } else this.#idle.push(environment);
    this.#proceed();
    return error;
  }

  async #give({ invocation, resolve }: Waiting, environment: ExecutionEnvironment): Promise<void> {
    const result = await environment.invoke(invocation, () => {
      this.#idle.push(environment);
      this.#proceed();
    });
    resolve(result);
  }

  #remove(environment: ExecutionEnvironment): void {
    this.#all.delete(environment);
    const index = this.#idle.indexOf(environment);
    if (index !== -1) this.#idle.splice(index, 1);
    this.#proceed();
  }
}

const closedError: FunctionError = {
  errorType: 'ServiceException',
  errorMessage: 'The local run is stopping.',
};

const tooManyRequests: FunctionError = {
  errorType: 'TooManyRequestsException',
  errorMessage: 'Rate Exceeded.',
};

const requestTooLarge: FunctionError = {
  errorType: 'RequestEntityTooLargeException',
  errorMessage: `Request must be smaller than ${payloadMaxBytes} bytes for the InvokeFunction operation`,
};

const responseTooLarge: FunctionError = {
  errorType: 'Function.ResponseSizeTooLarge',
  errorMessage: `Response payload size exceeded maximum allowed payload size (${payloadMaxBytes} bytes).`,
};
