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
  /** The environment variables that Lambda would add to a function's own. */
  readonly variablesOf: (lambda: LambdaFunction) => Readonly<Record<string, string>>;
  /** Takes a line of a function's log. */
  readonly log: (functionName: string, line: string) => void;
  /** The maximum number of environments, unless the function reserves fewer. @default 32 */
  readonly maxEnvironments?: number;
  readonly startEnvironment: StartEnvironment;
  /** The number of this machine's processors that have been idle recently. */
  readonly idleProcessors: () => number;
}

interface PendingInvocation {
  readonly invocation: Invocation;
  readonly sinceMs: number;
  readonly resolve: (result: InvocationResult) => void;
}

const defaultMaxEnvironments = 32;
const processors = availableParallelism();

// How long an invocation waits before another environment is started, while there are fewer of them
// than processors. An invocation usually takes less time than a cold start, which also slows down
// the invocations under way.
const startDelayMs = 30;

// How long an invocation waits when there is already an environment per processor. Another one is
// useful only if the others wait for something, such as a remote table, which shows in processors
// that are idle.
const extraStartDelayMs = 500;
const usefulIdleProcessors = 0.5;
const maxEnvironmentsPerProcessor = 3;

// An idle environment is stopped after this time, because that is the only way to free its heap.
const idleMaxMs = 10_000;

/**
 * The execution environments of one function. Their number is limited to what the processors can use,
 * not counting environments whose stream waits for its reader, as these use no processor time.
 */
export class EnvironmentPool {
  readonly lambda: LambdaFunction;
  readonly #options: EnvironmentPoolOptions;
  readonly #maxEnvironments: number;
  readonly #waitMaxMs: number;
  readonly #all = new Set<ExecutionEnvironment>();
  /** When each idle environment became idle, in this order. The last one is used next. */
  readonly #idle = new Map<ExecutionEnvironment, number>();
  readonly #streams = new Map<ExecutionEnvironment, Readable>();
  readonly #pending = new Set<PendingInvocation>();
  #starting = 0;
  #scheduleTimer: NodeJS.Timeout | undefined;
  #stopIdleTimer: NodeJS.Timeout | undefined;
  #onDrained: (() => void) | undefined;

  constructor(lambda: LambdaFunction, options: EnvironmentPoolOptions) {
    this.lambda = lambda;
    this.#options = options;
    const maxEnvironments = options.maxEnvironments ?? defaultMaxEnvironments;
    this.#maxEnvironments = Math.min(maxEnvironments, lambda.reservedConcurrency ?? Infinity);
    // Lambda would start an environment at once, so waiting may take as long as a start.
    this.#waitMaxMs = Math.max(lambda.timeoutMs, initializationTimeoutMs);
  }

  /**
   * Runs an invocation as soon as an environment is idle.
   *
   * @param signal cancels the invocation if it has not begun; otherwise it continues
   */
  run(invocation: Invocation, signal?: AbortSignal): Promise<InvocationResult> {
    if (this.#maxEnvironments < 1) return Promise.resolve({ error: tooManyRequests });
    if (signal?.aborted) return Promise.resolve({ error: cancelled });
    const { promise, resolve } = Promise.withResolvers<InvocationResult>();
    const pending: PendingInvocation = { invocation, resolve, sinceMs: performance.now() };
    this.#pending.add(pending);
    signal?.addEventListener('abort', () => this.#refuse(pending, cancelled));
    this.#schedule();
    return promise;
  }

  /** Starts an environment in advance. Resolves with the error if it cannot be initialized. */
  warmUp(): Promise<FunctionError | undefined> {
    return this.#start();
  }

  /** Stops each environment as soon as it is idle, and calls `onDrained` after the last one. */
  retire(onDrained: () => void): void {
    this.#onDrained = onDrained;
    this.#schedule();
  }

  async close(): Promise<void> {
    clearTimeout(this.#scheduleTimer);
    clearInterval(this.#stopIdleTimer);
    for (const pending of this.#pending) this.#refuse(pending, closedError);
    await Promise.all([...this.#all].map((environment) => environment.stop()));
  }

  /** Assigns pending invocations to idle environments, and starts another if they wait too long. */
  #schedule(): void {
    while (this.#pending.size > 0 && this.#idle.size > 0) {
      const environment = [...this.#idle.keys()].at(-1)!;
      this.#idle.delete(environment);
      void this.#invoke(this.#takeFirst()!, environment);
    }
    this.#refuseOverdue();
    const [first] = this.#pending;
    if (!first) {
      this.#drainIfRetired();
      return;
    }
    if (this.#shouldStart(performance.now() - first.sinceMs)) void this.#start();
    this.#scheduleTimer ??= setTimeout(() => {
      this.#scheduleTimer = undefined;
      this.#schedule();
    }, startDelayMs);
  }

  #drainIfRetired(): void {
    if (!this.#onDrained) return;
    clearInterval(this.#stopIdleTimer);
    for (const environment of this.#idle.keys()) void environment.stop();
    if (this.#all.size === 0) this.#onDrained();
  }

  #takeFirst(): PendingInvocation | undefined {
    const [first] = this.#pending;
    if (first) this.#pending.delete(first);
    return first;
  }

  #refuseOverdue(): void {
    const beforeMs = performance.now() - this.#waitMaxMs;
    for (const pending of this.#pending) {
      if (pending.sinceMs > beforeMs) return;
      this.#refuse(pending, tooManyRequests);
    }
  }

  #refuse(pending: PendingInvocation, error: FunctionError): void {
    if (this.#pending.delete(pending)) pending.resolve({ error });
  }

  #shouldStart(waitedMs: number): boolean {
    // An invocation that waits for a start, which takes longer than the delays, needs no second one.
    const startsInUse = Math.min(this.#pending.size, processors);
    if (this.#all.size >= this.#maxEnvironments || this.#starting >= startsInUse) return false;
    if (this.#all.size === 0) return true;
    const inUse = this.#all.size - this.#waitingForReaders();
    if (inUse < processors) return waitedMs >= startDelayMs;
    return (
      waitedMs >= extraStartDelayMs &&
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
      // As on Lambda, an invocation that waits for the start gets its error.
      this.#takeFirst()?.resolve({ error });
      await environment.stop();
    } else this.#markIdle(environment);
    return error;
  }

  async #invoke(
    { invocation, resolve }: PendingInvocation,
    environment: ExecutionEnvironment,
  ): Promise<void> {
    let isDone = false;
    const result = await environment.invoke(invocation, () => {
      isDone = true;
      this.#markIdle(environment);
    });
    const isUnderWay = !isDone && this.#all.has(environment);
    if ('stream' in result && isUnderWay) this.#streams.set(environment, result.stream);
    resolve(result);
  }

  #markIdle(environment: ExecutionEnvironment): void {
    this.#streams.delete(environment);
    this.#idle.set(environment, performance.now());
    this.#stopIdleTimer ??= setInterval(() => this.#stopIdle(), idleMaxMs).unref();
    this.#schedule();
  }

  /** Stops environments that have been idle for too long, except one for the next invocation. */
  #stopIdle(): void {
    const beforeMs = performance.now() - idleMaxMs;
    for (const [environment, sinceMs] of this.#idle) {
      if (this.#all.size === 1 || sinceMs > beforeMs) return;
      this.#remove(environment);
      void environment.stop();
    }
  }

  #remove(environment: ExecutionEnvironment): void {
    this.#all.delete(environment);
    this.#streams.delete(environment);
    this.#idle.delete(environment);
    this.#schedule();
  }
}

export const closedError: FunctionError = {
  errorType: 'ServiceException',
  errorMessage: 'The local run is stopping.',
};

/** Lambda's error for a throttled invocation. */
const tooManyRequests: FunctionError = {
  errorType: 'TooManyRequestsException',
  errorMessage: 'Rate Exceeded.',
};

/** The error of a cancelled invocation, which has no receiver any more. */
const cancelled: FunctionError = {
  errorType: 'ServiceException',
  errorMessage: 'The request was cancelled before the function could begin.',
};
