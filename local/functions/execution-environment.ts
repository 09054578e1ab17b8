import type { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { creditBytes, InvocationStream } from './invocation-stream.ts';
import type { LambdaFunction } from './lambda-functions.ts';

/** How a function failed, in Lambda's words. */
export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

/** What an invocation ends with: JSON, bytes as they come, or an error. */
export type InvocationResult =
  | { readonly payload: string }
  | { readonly stream: Readable }
  | { readonly error: FunctionError };

export interface Invocation {
  /** As JSON. */
  readonly event: string;
  readonly requestId: string;
  readonly invokedArn: string;
}

/** Takes one line that a function logged. */
export type LogLine = (line: string) => void;

type WorkerMessage = { readonly id: number } & (
  | { readonly type: 'ready' }
  | { readonly type: 'init-error' | 'error'; readonly error: FunctionError }
  | { readonly type: 'result'; readonly payload: string }
  | { readonly type: 'chunk'; readonly data: Uint8Array }
  | { readonly type: 'end' }
);

/** The invocation that is under way. */
interface Current {
  readonly id: number;
  stream: InvocationStream | undefined;
  /** Gives the caller its result; a stream is handed out as soon as it begins. */
  readonly resolve: (result: InvocationResult) => void;
  /** The function is done: the environment can take the next invocation. */
  readonly finish: () => void;
}

// Lambda gives a function's initialization ten seconds.
const initializationTimeoutMs = 10_000;

/**
 * One Lambda execution environment: a worker thread that loads the function's code once and then
 * serves one invocation at a time, until it fails, runs out of time or memory, or is stopped.
 *
 * Unlike on Lambda it is not frozen between invocations.
 */
export class ExecutionEnvironment {
  readonly #lambda: LambdaFunction;
  readonly #log: LogLine;
  readonly #worker: Worker;
  readonly #started = Promise.withResolvers<FunctionError | undefined>();
  readonly #onEnd: () => void;
  #invocations = 0;
  #current: Current | undefined;
  #hasEnded = false;

  /**
   * @param variables what Lambda would add to the function's own environment variables
   * @param onEnd told once, when the environment is gone
   */
  constructor(
    lambda: LambdaFunction,
    variables: Readonly<Record<string, string>>,
    log: LogLine,
    onEnd: () => void,
  ) {
    this.#lambda = lambda;
    this.#log = log;
    this.#onEnd = onEnd;
    this.#worker = new Worker(new URL('./execution-environment-worker.js', import.meta.url), {
      workerData: { codeDirectory: lambda.codeDirectory, handler: lambda.handler },
      env: environmentVariables(lambda, variables),
      // Never those of this process: a test runner's or a debugger's options are not Lambda's.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: lambda.memorySizeMb },
      stdout: true,
      stderr: true,
    });
    logLines(this.#worker.stdout, log);
    logLines(this.#worker.stderr, log);
    this.#listen();
  }

  /** Waits for the function's code to be loaded; gives the error when that fails. */
  started(): Promise<FunctionError | undefined> {
    return this.#started.promise;
  }

  /**
   * Runs one invocation; there must be no other under way.
   *
   * @param onFinished told when the function is done; for a stream, that may be long after this
   *   has resolved. Not told when the environment ends instead.
   */
  invoke(invocation: Invocation, onFinished: () => void): Promise<InvocationResult> {
    const { promise, resolve } = Promise.withResolvers<InvocationResult>();
    const timer = setTimeout(() => this.#timeOut(invocation), this.#lambda.timeoutMs);
    const id = ++this.#invocations;
    const finish = () => {
      clearTimeout(timer);
      this.#current = undefined;
      if (!this.#hasEnded) onFinished();
    };
    this.#current = { id, stream: undefined, resolve, finish };
    const { event } = invocation;
    const context = this.#contextOf(invocation);
    this.#worker.postMessage({ type: 'invoke', id, event, creditBytes, context });
    return promise;
  }

  /** Stops the environment, whatever it is doing. */
  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #listen(): void {
    const timer = setTimeout(() => {
      this.#end({ errorType: 'Sandbox.Timedout', errorMessage: 'Initialization timed out' });
      void this.stop();
    }, initializationTimeoutMs);
    void this.#started.promise.then(() => clearTimeout(timer));
    this.#worker.on('message', (message: WorkerMessage) => this.#receive(message));
    this.#worker.on('error', (error) => this.#end(exitError(error)));
    this.#worker.on('exit', (code) => {
      this.#end({ errorType: 'Runtime.ExitError', errorMessage: `Runtime exited: ${code}` });
    });
  }

  #receive(message: WorkerMessage): void {
    if (message.type === 'ready') this.#started.resolve(undefined);
    else if (message.type === 'init-error') this.#started.resolve(message.error);
    else if (message.id === this.#current?.id) this.#progress(this.#current, message);
  }

  #progress(current: Current, message: WorkerMessage): void {
    if (message.type === 'error') this.#fail(current, message.error);
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
      current.stream = new InvocationStream({
        credit: (bytes) => this.#worker.postMessage({ type: 'credit', id, bytes }),
        abort: () => this.#worker.postMessage({ type: 'abort', id }),
      });
      current.resolve({ stream: current.stream });
    }
    return current.stream;
  }

  // Before a stream has begun, the error is the result; after that, it breaks the stream.
  #fail(current: Current, error: FunctionError): void {
    this.#log(`Invoke Error ${JSON.stringify(error)}`);
    current.stream?.destroy(new Error(`${error.errorType}: ${error.errorMessage}`));
    current.resolve({ error });
    current.finish();
  }

  #timeOut({ requestId }: Invocation): void {
    const seconds = (this.#lambda.timeoutMs / 1000).toFixed(2);
    this.#end({
      errorType: 'Sandbox.Timedout',
      errorMessage: `RequestId: ${requestId} Error: Task timed out after ${seconds} seconds`,
    });
    void this.stop();
  }

  #end(error: FunctionError): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#started.resolve(error);
    if (this.#current) this.#fail(this.#current, error);
    this.#onEnd();
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
      logStreamName: `local/${this.#worker.threadId}`,
      memoryLimitInMB: String(memorySizeMb),
    };
  }
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html */
function environmentVariables(
  lambda: LambdaFunction,
  variables: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(lambda.memorySizeMb),
    AWS_LAMBDA_FUNCTION_NAME: lambda.name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    LAMBDA_TASK_ROOT: lambda.codeDirectory,
    TZ: ':UTC',
    _HANDLER: lambda.handler,
    ...variables,
    ...lambda.environment,
  };
}

function exitError(error: unknown): FunctionError {
  const { code, name, message, stack } = error as Partial<NodeJS.ErrnoException>;
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return { errorType: 'Runtime.OutOfMemory', errorMessage: String(message) };
  }
  return {
    errorType: name ?? 'Error',
    errorMessage: message ?? String(error),
    trace: stack?.split('\n'),
  };
}

function logLines(source: Readable, log: LogLine): void {
  let rest = '';
  source.setEncoding('utf8');
  source.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) log(line);
  });
  source.on('end', () => {
    if (rest) log(rest);
  });
}
