import { availableParallelism } from 'node:os';
import type { Readable } from 'node:stream';
import {
  type ExecutionEnvironment,
  type FunctionError,
  type Invocation,
  type InvocationResult,
  initializationTimeoutMs,
  type StartEnvironment,
} from './execution-environment.ts';
import type { LambdaFunction } from './lambda-functions.ts';

export interface EnvironmentPoolOptions {
  /** What Lambda would add to a function's environment variables. */
  readonly variablesOf: (lambda: LambdaFunction) => Readonly<Record<string, string>>;
  /** Takes one line of a function's log. */
  readonly log: (functionName: string, line: string) => void;
  /** Execution environments of one function, unless the function reserves fewer. @default 32 */
  readonly maxEnvironments?: number;
  readonly startEnvironment: StartEnvironment;
  /** How many processors of this machine have had nothing to do of late. */
  readonly idleProcessors: () => number;
}

interface Waiting {
  readonly invocation: Invocation;
  readonly sinceMs: number;
  readonly resolve: (result: InvocationResult) => void;
}

const defaultMaxEnvironments = 32;
const processors = availableParallelism();

// An answer usually takes less time than a cold start, and a cold start takes its time from the
// answers under way: up to one environment per processor, another is started for an invocation
// that has waited a moment.
const patienceMs = 30;

// Beyond one per processor, another one is of use only if the others wait for something, such as a
// table that is far away: then some processor has had nothing to do although an invocation waits.
const longPatienceMs = 500;
const usefulIdleProcessors = 0.5;
const maxEnvironmentsPerProcessor = 4;

// Each environment has a heap of its own, which is given back only with it.
const idleMaxMs = 10_000;

/**
 * The execution environments of one function: no more than the processors can use, and one more for
 * each whose stream waits for its reader, which takes no processor's time.
 */
export class EnvironmentPool {
  readonly lambda: LambdaFunction;
  readonly #options: EnvironmentPoolOptions;
  readonly #maxEnvironments: number;
  readonly #turnMaxMs: number;
  readonly #all = new Set<ExecutionEnvironment>();
  /** In the order in which they became idle: the last one is used next. */
  readonly #idle: { readonly environment: ExecutionEnvironment; readonly sinceMs: number }[] = [];
  readonly #streams = new Map<ExecutionEnvironment, Readable>();
  readonly #waiting = new Set<Waiting>();
  #starting = 0;
  #proceedTimer: NodeJS.Timeout | undefined;
  #releaseTimer: NodeJS.Timeout | undefined;
  #onDrained: (() => void) | undefined;

  constructor(lambda: LambdaFunction, options: EnvironmentPoolOptions) {
    this.lambda = lambda;
    this.#options = options;
    const maxEnvironments = options.maxEnvironments ?? defaultMaxEnvironments;
    this.#maxEnvironments = Math.min(maxEnvironments, lambda.reservedConcurrency ?? Infinity);
    // The wait stands for the start of an environment, which Lambda begins at once.
    this.#turnMaxMs = Math.max(lambda.timeoutMs, initializationTimeoutMs);
  }

  /**
   * Gives an invocation to an environment as soon as there is one for it.
   *
   * @param signal gives up an invocation that has not begun; one that has begun goes on
   */
  run(invocation: Invocation, signal?: AbortSignal): Promise<InvocationResult> {
    if (this.#maxEnvironments < 1) return Promise.resolve({ error: tooManyRequests });
    if (signal?.aborted) return Promise.resolve({ error: givenUp });
    const { promise, resolve } = Promise.withResolvers<InvocationResult>();
    const waiting: Waiting = { invocation, resolve, sinceMs: performance.now() };
    this.#waiting.add(waiting);
    signal?.addEventListener('abort', () => this.#refuse(waiting, givenUp), { once: true });
    this.#proceed();
    return promise;
  }

  /** Starts an environment before there is an invocation; gives the error when it cannot be initialized. */
  warmUp(): Promise<FunctionError | undefined> {
    return this.#start();
  }

  /** Ends each environment as soon as it has nothing to do any more. */
  retire(onDrained: () => void): void {
    this.#onDrained = onDrained;
    this.#proceed();
  }

  async close(): Promise<void> {
    clearTimeout(this.#proceedTimer);
    clearTimeout(this.#releaseTimer);
    for (const waiting of this.#waiting) this.#refuse(waiting, closedError);
    await Promise.all([...this.#all].map((environment) => environment.stop()));
  }

  /** Gives waiting invocations to idle environments, and starts another where they wait too long. */
  #proceed(): void {
    while (this.#waiting.size > 0 && this.#idle.length > 0) {
      void this.#give(this.#takeFirst()!, this.#idle.pop()!.environment);
    }
    this.#refuseOverdue();
    const [first] = this.#waiting;
    if (!first) {
      this.#drainIfRetired();
      return;
    }
    if (this.#shouldStart(performance.now() - first.sinceMs)) void this.#start();
    this.#proceedTimer ??= setTimeout(() => {
      this.#proceedTimer = undefined;
      this.#proceed();
    }, patienceMs);
  }

  #drainIfRetired(): void {
    if (!this.#onDrained) return;
    clearTimeout(this.#releaseTimer);
    for (const { environment } of this.#idle.splice(0)) void environment.stop();
    if (this.#all.size === 0) this.#onDrained();
  }

  #takeFirst(): Waiting | undefined {
    const [first] = this.#waiting;
    if (first) this.#waiting.delete(first);
    return first;
  }

  #refuseOverdue(): void {
    const beforeMs = performance.now() - this.#turnMaxMs;
    for (const waiting of this.#waiting) {
      if (waiting.sinceMs > beforeMs) return;
      this.#refuse(waiting, tooManyRequests);
    }
  }

  #refuse(waiting: Waiting, error: FunctionError): void {
    if (this.#waiting.delete(waiting)) waiting.resolve({ error });
  }

  #shouldStart(waitedMs: number): boolean {
    if (this.#all.size >= this.#maxEnvironments || this.#starting >= processors) return false;
    if (this.#all.size === 0) return true;
    const inUse = this.#all.size - this.#waitingForReaders();
    if (inUse < processors) return waitedMs >= patienceMs;
    return (
      waitedMs >= longPatienceMs &&
      inUse < processors * maxEnvironmentsPerProcessor &&
      this.#options.idleProcessors() >= usefulIdleProcessors
    );
  }

  #waitingForReaders(): number {
    const isFull = ({ readableLength, readableHighWaterMark, destroyed }: Readable) =>
      !destroyed && readableLength >= readableHighWaterMark;
    return [...this.#streams.values()].filter(isFull).length;
  }

  async #start(): Promise<FunctionError | undefined> {
    this.#starting++;
    const { variablesOf, log, startEnvironment } = this.#options;
    const environment: ExecutionEnvironment = startEnvironment(this.lambda, {
      variables: variablesOf(this.lambda),
      log: (line) => log(this.lambda.name, line),
      onEnd: () => this.#remove(environment),
    });
    this.#all.add(environment);
    const error = await environment.started();
    this.#starting--;
    if (error) {
      log(this.lambda.name, `Init Error ${JSON.stringify(error)}`);
      // As on Lambda, the invocation that caused the start gets the error of the start.
      this.#takeFirst()?.resolve({ error });
      this.#remove(environment);
      await environment.stop();
    } else this.#rest(environment);
    return error;
  }

  async #give({ invocation, resolve }: Waiting, environment: ExecutionEnvironment): Promise<void> {
    let isDone = false;
    const result = await environment.invoke(invocation, () => {
      isDone = true;
      this.#rest(environment);
    });
    const isUnderWay = !isDone && this.#all.has(environment);
    if ('stream' in result && isUnderWay) this.#streams.set(environment, result.stream);
    resolve(result);
  }

  #rest(environment: ExecutionEnvironment): void {
    this.#streams.delete(environment);
    this.#idle.push({ environment, sinceMs: performance.now() });
    this.#releaseTimer ??= setTimeout(() => this.#release(), idleMaxMs).unref();
    this.#proceed();
  }

  /** Stops what has been idle for long. One stays, so that the next request finds it warm. */
  #release(): void {
    const beforeMs = performance.now() - idleMaxMs;
    while (this.#all.size > 1 && this.#idle[0] && this.#idle[0].sinceMs <= beforeMs) {
      const { environment } = this.#idle[0];
      this.#remove(environment);
      void environment.stop();
    }
    this.#releaseTimer =
      this.#all.size > 1 ? setTimeout(() => this.#release(), idleMaxMs).unref() : undefined;
  }

  #remove(environment: ExecutionEnvironment): void {
    this.#all.delete(environment);
    this.#streams.delete(environment);
    const index = this.#idle.findIndex((idle) => idle.environment === environment);
    if (index !== -1) this.#idle.splice(index, 1);
    this.#proceed();
  }
}

export const closedError: FunctionError = {
  errorType: 'ServiceException',
  errorMessage: 'The local run is stopping.',
};

/** Lambda's answer when it may not start another environment. */
const tooManyRequests: FunctionError = {
  errorType: 'TooManyRequestsException',
  errorMessage: 'Rate Exceeded.',
};

/** Nobody waits for the result any more. */
const givenUp: FunctionError = {
  errorType: 'ServiceException',
  errorMessage: 'The request was given up before the function could begin.',
};
