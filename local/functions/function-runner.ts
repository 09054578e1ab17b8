import { closedError, EnvironmentPool, type EnvironmentPoolOptions } from './environment-pool.ts';
import type {
  FunctionError,
  Invocation,
  InvocationResult,
  StartEnvironment,
} from './execution-environment.ts';
import { watchIdleProcessors } from './idle-processors.ts';
import type { LambdaFunction } from './lambda-functions.ts';
import { WorkerEnvironment } from './worker-environment.ts';

type RunnerOptions = Pick<EnvironmentPoolOptions, 'variablesOf' | 'log' | 'maxEnvironments'> & {
  /** @default - starts a worker thread */
  readonly startEnvironment?: StartEnvironment;
};

const startWorker: StartEnvironment = (...parameters) => new WorkerEnvironment(...parameters);

// How long an invocation waits for new code. A rebuild and a cold start usually take less.
const newCodeMaxWaitMs = 2_000;

// Lambda's limits for a synchronous invocation: 6 MB either way.
const payloadMaxBytes = 6_291_556;

/**
 * Runs functions in execution environments. An invocation gets an idle environment, or a new one up
 * to the number that this machine can use; beyond that, it waits.
 *
 * Lambda would start an environment for each waiting invocation. The wait is therefore bounded by the
 * time that a start may take, after which the invocation fails like one that Lambda throttles.
 */
export class FunctionRunner {
  readonly #options: EnvironmentPoolOptions;
  readonly #pools = new Map<string, EnvironmentPool>();
  /** Pools of replaced code that still run invocations. */
  readonly #retired = new Set<EnvironmentPool>();
  #newCode: Promise<unknown> | undefined;
  #isClosed = false;

  constructor(options: RunnerOptions) {
    this.#options = {
      ...options,
      startEnvironment: options.startEnvironment ?? startWorker,
      idleProcessors: watchIdleProcessors(),
    };
  }

  /**
   * Invokes a function and waits for its result, or for its stream to begin.
   *
   * @param signal cancels the invocation if it has not begun; otherwise it continues
   */
  async invoke(
    lambda: LambdaFunction,
    invocation: Invocation,
    signal?: AbortSignal,
  ): Promise<InvocationResult> {
    while (this.#newCode) await this.#newCode;
    if (this.#isClosed) return { error: closedError };
    if (Buffer.byteLength(invocation.event) > payloadMaxBytes) return { error: requestTooLarge };
    let pool = this.#pools.get(lambda.logicalId);
    if (!pool) {
      pool = new EnvironmentPool(lambda, this.#options);
      this.#pools.set(lambda.logicalId, pool);
    }
    const result = await pool.run(invocation, signal);
    if ('payload' in result && Buffer.byteLength(result.payload) > payloadMaxBytes) {
      return { error: responseTooLarge };
    }
    return result;
  }

  /**
   * Replaces functions by those with the same logical ids. An invocation that arrives before they are
   * ready waits for them, up to a limit; one that has begun is finished by its environment.
   *
   * @throws Error when the promise rejects or a function cannot be initialized; then nothing is
   *   replaced
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

  /** Stops all execution environments. Invocations under way fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const pools = [...this.#pools.values(), ...this.#retired];
    await Promise.all(pools.map((pool) => pool.close()));
  }
}

const requestTooLarge: FunctionError = {
  errorType: 'RequestEntityTooLargeException',
  errorMessage: `Request must be smaller than ${payloadMaxBytes} bytes for the InvokeFunction operation`,
};

const responseTooLarge: FunctionError = {
  errorType: 'Function.ResponseSizeTooLarge',
  errorMessage: `Response payload size exceeded maximum allowed payload size (${payloadMaxBytes} bytes).`,
};
