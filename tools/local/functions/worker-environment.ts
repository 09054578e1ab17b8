import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
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
  nodeHeapLimits,
  runtimeExited,
} from './execution-environment.ts';
import type { LambdaFunction } from './lambda-functions.ts';

type WorkerMessage = StartMessage | InvocationMessage;
type StartMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'init-error'; readonly error: FunctionError };
/** The last one of an invocation is a result, an error or the end of its stream. */
type InvocationMessage =
  | { readonly type: 'error'; readonly error: FunctionError }
  | { readonly type: 'result'; readonly payload: string }
  | { readonly type: 'chunk'; readonly data: Uint8Array }
  | { readonly type: 'end' };

/** The current invocation. */
interface Current {
  readonly requestId: string;
  stream: Readable | undefined;
  /** Resolves the caller's promise, for a stream with its first chunk. */
  readonly resolve: (result: InvocationResult) => void;
  /** Ends the invocation, so that the environment can run the next one. */
  readonly finish: () => void;
}

let environments = 0;

/**
 * An execution environment in a worker thread, with globals, variables and a heap of its own. Like a
 * process on Lambda, it ends with an uncaught exception, an unhandled rejection or `process.exit()`.
 * Unlike on Lambda, it is not frozen between invocations.
 */
export class WorkerEnvironment implements ExecutionEnvironment {
  readonly #lambda: LambdaFunction;
  readonly #options: EnvironmentOptions;
  readonly #logStreamName = `local/${++environments}`;
  readonly #worker: Worker;
  readonly #started = Promise.withResolvers<FunctionError | undefined>();
  #current: Current | undefined;
  #hasEnded = false;

  constructor(lambda: LambdaFunction, options: EnvironmentOptions) {
    this.#lambda = lambda;
    this.#options = options;
    this.#worker = startWorker(lambda, options, this.#logStreamName);
    this.#worker.on('message', (message: WorkerMessage) => this.#receive(message));
    this.#worker.on('error', (error) => {
      this.#logError(error);
      // It is about to exit, so that no other invocation may begin.
      if (!this.#current) this.#end(runtimeExited(1));
    });
    // Messages of an invocation may arrive after `error`, but not after `exit`.
    this.#worker.on('exit', (code) => this.#end(runtimeExited(code, this.#current?.requestId)));
    // Lambda repeats an initialization that takes longer, within the function's own time limit.
    const timeoutMs = Math.max(initializationTimeoutMs, lambda.timeoutMs);
    const timer = setTimeout(() => this.#end(initializationTimedOut), timeoutMs);
    void this.#started.promise.then(() => clearTimeout(timer));
  }

  started(): Promise<FunctionError | undefined> {
    return this.#started.promise;
  }

  invoke(invocation: Invocation, onFinished: () => void): Promise<InvocationResult> {
    const { promise, resolve } = Promise.withResolvers<InvocationResult>();
    const { event, requestId } = invocation;
    const timer = setTimeout(
      () => this.#end(invocationTimedOut(this.#lambda, requestId)),
      this.#lambda.timeoutMs,
    );
    const finish = () => {
      clearTimeout(timer);
      this.#current = undefined;
      if (!this.#hasEnded) onFinished();
    };
    this.#current = { requestId, stream: undefined, resolve, finish };
    this.#worker.postMessage({ type: 'invoke', event, context: this.#contextOf(invocation) });
    return promise;
  }

  async stop(): Promise<void> {
    this.#end(runtimeExited('killed', this.#current?.requestId));
    await this.#worker.terminate();
  }

  #receive(message: WorkerMessage): void {
    if (message.type === 'ready') this.#started.resolve(undefined);
    else if (message.type === 'init-error') this.#started.resolve(message.error);
    else if (this.#current) this.#progress(this.#current, message);
  }

  #progress(current: Current, message: InvocationMessage): void {
    if (message.type === 'chunk') {
      const stream = this.#streamOf(current);
      // As on Lambda, a reader that goes away, such as a client that disconnects, does not stop the
      // function: what it writes afterwards is discarded.
      if (stream.destroyed) this.#proceed();
      else stream.push(message.data);
      return;
    }
    if (message.type === 'error') this.#fail(current, message.error);
    else if (message.type === 'end') this.#streamOf(current).push(null);
    else current.resolve({ payload: message.payload });
    current.finish();
  }

  #streamOf(current: Current): Readable {
    if (current.stream) return current.stream;
    const stream = new Readable({
      read: () => this.#proceed(),
      destroy: (error, callback) => {
        this.#proceed();
        callback(error);
      },
    });
    // The pipeline reports an error to the reader. Without a reader, it must not be thrown.
    stream.on('error', () => {});
    current.stream = stream;
    current.resolve({ stream });
    return stream;
  }

  /** Lets the function write its next chunk, because the reader wants more. */
  #proceed(): void {
    this.#worker.postMessage({ type: 'proceed' });
  }

  // Before the first chunk of a stream, the error is the result; after that, it breaks the stream.
  #fail(current: Current, error: FunctionError): void {
    this.#options.log(`Invoke Error ${JSON.stringify(error)}`);
    current.stream?.destroy(new Error(`${error.errorType}: ${error.errorMessage}`));
    current.resolve({ error });
  }

  /** Ends the environment and what it runs. A thread that blocks is ended too. */
  #end(error: FunctionError): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#started.resolve(error);
    if (this.#current) this.#fail(this.#current, error);
    this.#current?.finish();
    this.#options.onEnd();
    void this.#worker.terminate();
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

function startWorker(
  lambda: LambdaFunction,
  { variables, log }: EnvironmentOptions,
  logStreamName: string,
): Worker {
  const { oldSpaceMb, semiSpaceMb } = nodeHeapLimits(lambda.memorySizeMb);
  const worker = new Worker(new URL('./execution-environment-worker.js', import.meta.url), {
    workerData: { codeDirectory: lambda.codeDirectory, handler: lambda.handler },
    env: functionVariables(lambda, variables, logStreamName),
    // The thread does not inherit the options of this process, such as a test runner's. A function's
    // code is loaded as a script, whose experimental support for import() does not belong in the log.
    execArgv: ['--disable-warning=ExperimentalWarning'],
    // In V8 the young generation has the size of three semi-spaces.
    resourceLimits: {
      maxOldGenerationSizeMb: oldSpaceMb,
      maxYoungGenerationSizeMb: 3 * semiSpaceMb,
    },
    stdout: true,
    stderr: true,
  });
  for (const input of [worker.stdout, worker.stderr]) createInterface({ input }).on('line', log);
  return worker;
}
