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

export type RunnerOptions = Pick<
  EnvironmentPoolOptions,
  'variablesOf' | 'log' | 'maxEnvironments'
> & {
  /** @default - a worker thread */
  readonly startEnvironment?: StartEnvironment;
  /** @default - as the system counts them */
  readonly idleProcessors?: () => number;
};

const startWorker: StartEnvironment = (...parameters) => new WorkerEnvironment(...parameters);

// Lambda's limits for a synchronous invocation: 6 MB either way.
const payloadMaxBytes = 6_291_556;

/**
 * Runs functions in execution environments: an idle one where there is one, else a new one, up to
 * what this machine can use. Above that, invocations wait their turn.
 *
 * Lambda would start any number at once, and an invocation would wait for a start: as that, the wait
 * for a turn is bounded, and ends as where Lambda may not start another.
 */
export class FunctionRunner {
  readonly #options: EnvironmentPoolOptions;
  readonly #pools = new Map<string, EnvironmentPool>();
  #isClosed = false;

  constructor(options: RunnerOptions) {
    this.#options = {
      ...options,
      startEnvironment: options.startEnvironment ?? startWorker,
      idleProcessors: options.idleProcessors ?? watchIdleProcessors(),
    };
  }

  /**
   * Invokes a function and waits for its result, or for its stream to begin.
   *
   * @param signal gives up an invocation that has not begun; one that has begun goes on
   */
  async invoke(
    lambda: LambdaFunction,
    invocation: Invocation,
    signal?: AbortSignal,
  ): Promise<InvocationResult> {
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

  /** Stops all execution environments; what they were doing fails. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#pools.values()].map((pool) => pool.close()));
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
