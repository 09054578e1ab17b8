import { Worker } from 'node:worker_threads';
import { liftedTimeoutMs } from '../template/time-limits.ts';
import {
  type ExecutionEnvironment,
  type FunctionError,
  functionVariables,
  type Invocation,
  type InvocationResult,
  initializationTimedOut,
  initializationTimeoutMs,
  invocationTimedOut,
  responseTruncated,
  runtimeExited,
  type Surroundings,
} from './execution-environment.ts';
import { creditBytes, InvocationStream } from './invocation-stream.ts';
import { maxHttpHeaderBytes, nodeHeapLimits } from './lambda-bootstrap.ts';
import type { LambdaFunction } from './lambda-functions.ts';
import { logLines } from './log-lines.ts';

type WorkerMessage = { readonly id: number } & (
  | { readonly type: 'ready' }
  | { readonly type: 'init-error' | 'error'; readonly error: FunctionError }
  | { readonly type: 'result'; readonly payload: string }
  | { readonly type: 'chunk'; readonly data: Uint8Array }
  | { readonly type: 'truncated' | 'end' }
);

/** With which Node ends when it is started with an option that it does not know. */
const invalidArgumentExitCode = 9;

let environments = 0;

/** The invocation that is under way. */
interface Current {
  readonly id: number;
  readonly requestId: string;
  stream: InvocationStream | undefined;
  /** Gives the caller its result; a stream is handed out as soon as it begins. */
  readonly resolve: (result: InvocationResult) => void;
  /** The function is done: the environment can take the next invocation. */
  readonly finish: () => void;
}

/**
 * An execution environment that is a worker thread. As a process on Lambda would, it ends with an
 * exception that nothing catches, a rejection that nothing handles, or `process.exit()`.
 *
 * Unlike on Lambda it is not frozen between invocations.
 */
export class WorkerEnvironment implements ExecutionEnvironment {
  readonly #lambda: LambdaFunction;
  readonly #surroundings: Surroundings;
  readonly #logStreamName = `local/${++environments}`;
  readonly #worker: Worker | undefined;
  readonly #started = Promise.withResolvers<FunctionError | undefined>();
  #invocations = 0;
  #current: Current | undefined;
  /** With what the thread ended while there was no invocation. */
  #leftStatus: number | string | undefined;
  #isReady = false;
  #isStopping = false;
  #hasEnded = false;

  /** @param isDebugged whether the function may be stopped in a debugger for as long as it takes */
  constructor(lambda: LambdaFunction, surroundings: Surroundings, isDebugged = false) {
    this.#lambda = lambda;
    this.#surroundings = surroundings;
    try {
      this.#worker = startWorker(lambda, surroundings, this.#logStreamName, isDebugged);
      this.#listen(this.#worker, isDebugged ? liftedTimeoutMs : initializationTimeoutMs);
    } catch (error) {
      // A thread cannot have each option of a process: Node says which of NODE_OPTIONS it is.
      this.#logError(error);
      queueMicrotask(() => this.#end(runtimeExited(invalidArgumentExitCode)));
    }
  }

  started(): Promise<FunctionError | undefined> {
    return this.#started.promise;
  }

  invoke(invocation: Invocation, onFinished: () => void): Promise<InvocationResult> {
    const { promise, resolve } = Promise.withResolvers<InvocationResult>();
    const { event, requestId } = invocation;
    const timer = setTimeout(() => this.#timeOut(requestId), this.#lambda.timeoutMs);
    const id = ++this.#invocations;
    const finish = () => {
      clearTimeout(timer);
      this.#current = undefined;
      if (!this.#hasEnded) onFinished();
    };
    this.#current = { id, requestId, stream: undefined, resolve, finish };
    if (this.#leftStatus === undefined) {
      const context = this.#contextOf(invocation);
      this.#worker?.postMessage({ type: 'invoke', id, event, creditBytes, context });
    } else this.#exit(this.#leftStatus);
    return promise;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#worker?.terminate();
  }

  #listen(worker: Worker, initializationMs: number): void {
    const timer = setTimeout(() => {
      this.#end(initializationTimedOut);
      void this.stop();
    }, initializationMs);
    void this.#started.promise.then(() => clearTimeout(timer));
    worker.on('message', (message: WorkerMessage) => this.#receive(message));
    let isOutOfMemory = false;
    worker.on('error', (error: NodeJS.ErrnoException) => {
      this.#logError(error);
      isOutOfMemory = error?.code === 'ERR_WORKER_OUT_OF_MEMORY';
    });
    // What the function has sent before may arrive after its error, but not after its exit. Without
    // memory Node aborts a process; a thread just ends.
    worker.on('exit', (code) => this.#leave(isOutOfMemory ? 'aborted' : code));
  }

  /**
   * The runtime of Lambda waits for its next invocation in a thread of its own, and Node for that
   * thread before it ends: it is the next invocation that learns that there is nobody any more.
   */
  #leave(status: number | string): void {
    if (this.#isReady && !this.#current && !this.#isStopping) this.#leftStatus ??= status;
    else this.#exit(status);
  }

  #receive(message: WorkerMessage): void {
    if (message.type === 'ready') {
      this.#isReady = true;
      this.#started.resolve(undefined);
    } else if (message.type === 'init-error') this.#started.resolve(message.error);
    else if (message.id === this.#current?.id) this.#progress(this.#current, message);
  }

  #progress(current: Current, message: WorkerMessage): void {
    if (message.type === 'error') {
      this.#fail(current, message.error);
      current.finish();
    } else if (message.type === 'truncated') this.#fail(current, responseTruncated);
    else if (message.type === 'chunk') this.#streamOf(current).receive(message.data);
    else if (message.type === 'end') {
      this.#streamOf(current).finish();
      current.finish();
    } else if (message.type === 'result') {
      current.resolve({ payload: message.payload });
      current.finish();
    }
  }

  #streamOf(current: Current): InvocationStream {
    if (!current.stream) {
      const { id } = current;
      current.stream = new InvocationStream((bytes) => {
        this.#worker?.postMessage({ type: 'credit', id, bytes });
      });
      current.resolve({ stream: current.stream });
    }
    return current.stream;
  }

  // Before a stream has begun, the error is the result; after that, it breaks the stream.
  #fail(current: Current, error: FunctionError): void {
    this.#surroundings.log(`Invoke Error ${JSON.stringify(error)}`);
    current.stream?.fail(new Error(`${error.errorType}: ${error.errorMessage}`));
    current.resolve({ error });
  }

  #timeOut(requestId: string): void {
    this.#end(invocationTimedOut(this.#lambda, requestId));
    void this.stop();
  }

  #exit(status: number | string): void {
    const error = runtimeExited(status, this.#current?.requestId);
    if (!this.#hasEnded && !this.#isStopping) this.#surroundings.log(JSON.stringify(error));
    this.#end(error);
  }

  #end(error: FunctionError): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#started.resolve(error);
    if (this.#current) this.#fail(this.#current, error);
    this.#current?.finish();
    this.#surroundings.onEnd();
  }

  // What Node writes to a process's standard error, a thread hands to its parent.
  #logError(error: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    for (const line of `Uncaught ${text}`.split('\n')) this.#surroundings.log(line);
  }

  #contextOf({ requestId, invokedArn }: Invocation) {
    const { name, memorySizeMb, timeoutMs } = this.#lambda;
    return {
      awsRequestId: requestId,
      deadlineMs: Date.now() + timeoutMs,
      functionName: name,
      functionVersion: '$LATEST',
      invokedFunctionArn: invokedArn,
      logGroupName: `/aws/lambda/${name}`,
      logStreamName: this.#logStreamName,
      memoryLimitInMB: String(memorySizeMb),
    };
  }
}

/** @throws Error for an option in the function's `NODE_OPTIONS` that a thread cannot have */
function startWorker(
  lambda: LambdaFunction,
  { variables, log }: Surroundings,
  logStreamName: string,
  isDebugged: boolean,
): Worker {
  const { oldSpaceMb, semiSpaceMb } = nodeHeapLimits(lambda.memorySizeMb);
  const worker = new Worker(new URL('./execution-environment-worker.js', import.meta.url), {
    workerData: { codeDirectory: lambda.codeDirectory, handler: lambda.handler, isDebugged },
    env: functionVariables(lambda, variables, logStreamName),
    // Never those of this process: a test runner's or a debugger's options are not Lambda's.
    execArgv: [
      `--max-http-header-size=${maxHttpHeaderBytes}`,
      // What loads a script for a debugger is experimental, and no matter of the function's log.
      ...(isDebugged ? ['--disable-warning=ExperimentalWarning'] : []),
    ],
    // V8 counts three semi-spaces to a young generation.
    resourceLimits: {
      maxOldGenerationSizeMb: oldSpaceMb,
      maxYoungGenerationSizeMb: 3 * semiSpaceMb,
    },
    stdout: true,
    stderr: true,
  });
  logLines(worker.stdout, log);
  logLines(worker.stderr, log);
  return worker;
}
