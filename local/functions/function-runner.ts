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
  #isClosed = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  /** Invokes a function and waits for its result, or for its stream to begin. */
  async invoke(lambda: LambdaFunction, invocation: Invocation): Promise<InvocationResult> {
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

  /** Stops all execution environments; what they were doing fails. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#pools.values()].map((pool) => pool.close()));
  }
}

/** The execution environments of one function. */
class EnvironmentPool {
  readonly #lambda: LambdaFunction;
  readonly #options: RunnerOptions;
  readonly #maxEnvironments: number;
  readonly #all = new Set<ExecutionEnvironment>();
  readonly #idle: ExecutionEnvironment[] = [];
  readonly #waiting: Waiting[] = [];
  #starting = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(lambda: LambdaFunction, options: RunnerOptions) {
    this.#lambda = lambda;
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
    const first = this.#waiting[0];
    if (!first || !this.#canStart()) return;
    const waitedMs = performance.now() - first.sinceMs;
    if (waitedMs >= this.#patienceMs()) void this.#start();
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#proceed();
    }, patienceMs);
  }

  #canStart(): boolean {
    return this.#all.size < this.#maxEnvironments && this.#starting < processors;
  }

  #patienceMs(): number {
    if (this.#all.size === 0) return 0;
    return this.#all.size < processors ? patienceMs : longPatienceMs;
  }

  async #start(): Promise<void> {
    this.#starting++;
    const { variablesOf, log, startEnvironment = startWorker } = this.#options;
    const environment: ExecutionEnvironment = startEnvironment(this.#lambda, {
      variables: variablesOf(this.#lambda),
      log: (line) => log(this.#lambda.name, line),
      onEnd: () => this.#remove(environment),
    });
    this.#all.add(environment);
    const error = await environment.started();
    this.#starting--;
    if (error) {
      this.#options.log(this.#lambda.name, `Init Error ${JSON.stringify(error)}`);
      // As on Lambda, the invocation that caused the start gets the error of the start.
      this.#waiting.shift()?.resolve({ error });
      this.#remove(environment);
      await environment.stop();
    } else this.#idle.push(environment);
    this.#proceed();
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
