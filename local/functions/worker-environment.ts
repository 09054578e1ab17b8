import { Worker } from 'node:worker_threads';
import { liftedTimeoutMs } from '../template/time-limits.ts';
import {
  type EnvironmentOptions,
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

/** Node's exit code for an invalid command-line option. */
const invalidArgumentExitCode = 9;

let environments = 0;

/** The current invocation. */
interface Current {
  readonly id: number;
  readonly requestId: string;
  stream: InvocationStream | undefined;
  /** Resolves the caller's promise, for a stream with its first chunk. */
  readonly resolve: (result: InvocationResult) => void;
  /** Ends the invocation, so that the environment can run the next one. */
  readonly finish: () => void;
}

/**
 * An execution environment in a worker thread. Like a process on Lambda, it ends with an uncaught
 * exception, an unhandled rejection or `process.exit()`. Unlike on Lambda, it is not frozen between
 * invocations.
 */
export class WorkerEnvironment implements ExecutionEnvironment {
  readonly #lambda: LambdaFunction;
  readonly #options: EnvironmentOptions;
  readonly #logStreamName = `local/${++environments}`;
  readonly #worker: Worker | undefined;
  readonly #started = Promise.withResolvers<FunctionError | undefined>();
  #invocations = 0;
  #current: Current | undefined;
  /** The exit status of a thread that has ended between invocations. */
  #statusWhenIdle: number | string | undefined;
  #isReady = false;
  #isStopping = false;
  #hasEnded = false;

  /** @param isDebugged whether a debugger may pause the function, so that no time limits apply */
  constructor(lambda: LambdaFunction, options: EnvironmentOptions, isDebugged = false) {
    this.#lambda = lambda;
    this.#options = options;
    try {
      this.#worker = startWorker(lambda, options, this.#logStreamName, isDebugged);
      this.#listen(this.#worker, isDebugged ? liftedTimeoutMs : initializationTimeoutMs);
    } catch (error) {
      // Some options of a process are invalid for a thread. Node's error names the one in NODE_OPTIONS.
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
    if (this.#statusWhenIdle === undefined) {
      const context = this.#contextOf(invocation);
      this.#worker!.postMessage({ type: 'invoke', id, event, creditBytes, context });
    } else this.#exit(this.#statusWhenIdle);
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
    // Messages of the function may arrive after `error`, but not after `exit`, so only `exit` ends the
    // environment. Out of memory, Node aborts a process, whereas a thread exits with a code.
    worker.on('exit', (code) => this.#handleExit(isOutOfMemory ? 'aborted' : code));
  }

  /**
   * Reports the exit of a thread between invocations to the next invocation. Lambda does the same,
   * because its runtime waits for the next invocation in a native thread, and Node exits after it.
   */
  #handleExit(status: number | string): void {
    if (this.#isReady && !this.#current && !this.#isStopping) this.#statusWhenIdle = status;
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
        this.#worker!.postMessage({ type: 'credit', id, bytes });
      });
      current.resolve({ stream: current.stream });
    }
    return current.stream;
  }

  // Before the first chunk of a stream, the error is the result; after that, it fails the stream.
  #fail(current: Current, error: FunctionError): void {
    this.#options.log(`Invoke Error ${JSON.stringify(error)}`);
    current.stream?.fail(new Error(`${error.errorType}: ${error.errorMessage}`));
    current.resolve({ error });
  }

  #timeOut(requestId: string): void {
    this.#end(invocationTimedOut(this.#lambda, requestId));
    void this.stop();
  }

  #exit(status: number | string): void {
    const error = runtimeExited(status, this.#current?.requestId);
    if (!this.#hasEnded && !this.#isStopping) this.#options.log(JSON.stringify(error));
    this.#end(error);
  }

  #end(error: FunctionError): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#started.resolve(error);
    if (this.#current) this.#fail(this.#current, error);
    this.#current?.finish();
    this.#options.onEnd();
  }

  // Node prints the uncaught error of a process itself, but passes that of a thread to its parent.
  #logError(error: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    for (const line of `Uncaught ${text}`.split('\n')) this.#options.log(line);
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

/** @throws Error when the function's `NODE_OPTIONS` has an option that is invalid for a thread */
function startWorker(
  lambda: LambdaFunction,
  { variables, log }: EnvironmentOptions,
  logStreamName: string,
  isDebugged: boolean,
): Worker {
  const { oldSpaceMb, semiSpaceMb } = nodeHeapLimits(lambda.memorySizeMb);
  const worker = new Worker(new URL('./execution-environment-worker.js', import.meta.url), {
    workerData: { codeDirectory: lambda.codeDirectory, handler: lambda.handler, isDebugged },
    env: functionVariables(lambda, variables, logStreamName),
    // Without this, the thread would inherit the options of this process, such as a test runner's.
    execArgv: [
      `--max-http-header-size=${maxHttpHeaderBytes}`,
      // Loading a script for a debugger is experimental; its warning does not belong in the log.
      ...(isDebugged ? ['--disable-warning=ExperimentalWarning'] : []),
    ],
    // In V8 the young generation has the size of three semi-spaces.
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
