import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';
import type {
  FunctionError,
  Invocation,
  InvocationResult,
  LambdaFunction,
} from './lambda-functions.ts';

interface EnvironmentOptions {
  /** The environment variables that Lambda would add to the function's own. */
  readonly variables: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
  /** Called once, when the environment has ended. */
  readonly onEnd: () => void;
}

type WorkerMessage =
  | { readonly type: 'started'; readonly error?: FunctionError }
  | { readonly type: 'error'; readonly error: FunctionError }
  | { readonly type: 'result'; readonly payload: string }
  | { readonly type: 'chunk'; readonly data: Uint8Array }
  | { readonly type: 'end' };

interface Current {
  readonly invocation: Invocation;
  stream: Readable | undefined;
  /** Resolves the caller's promise, for a stream with its first chunk. */
  readonly resolve: (result: InvocationResult) => void;
  readonly finish: () => void;
}

/**
 * A Lambda execution environment: a worker thread that loads a function's code once and then runs one
 * invocation at a time. It ends with an uncaught error, `process.exit()` or a timeout.
 */
export class ExecutionEnvironment {
  readonly #start = Promise.withResolvers<FunctionError | undefined>();
  /** Resolves when the function's code has been loaded, with the error if that failed. */
  readonly started = this.#start.promise;
  readonly #lambda: LambdaFunction;
  readonly #options: EnvironmentOptions;
  readonly #worker: Worker;
  #current: Current | undefined;
  #hasEnded = false;

  constructor(lambda: LambdaFunction, options: EnvironmentOptions) {
    this.#lambda = lambda;
    this.#options = options;
    this.#worker = startWorker(lambda, options);
    this.#worker.on('message', (message: WorkerMessage) => this.#receive(message));
    this.#worker.on('error', (error) => {
      // Node prints the uncaught error of a process itself, but passes that of a thread to its parent.
      for (const line of `Uncaught ${inspect(error)}`.split('\n')) options.log(line);
      // The thread is about to exit, so no other invocation may begin.
      if (!this.#current) this.#end('Runtime exited with error: exit status 1');
    });
    // Messages of an invocation may arrive after `error`, but not after `exit`.
    this.#worker.on('exit', (code) => this.#end(`Runtime exited with error: exit status ${code}`));
  }

  get codeDirectory(): string {
    return this.#lambda.codeDirectory;
  }

  isServing(caller: string | undefined): boolean {
    return this.#current !== undefined && this.#current.invocation.caller === caller;
  }

  /**
   * Runs an invocation. The previous one must have finished.
   *
   * @param onFinished called when the function has finished, for a stream perhaps long after the promise has
   *   resolved, but not if the environment ends
   */
  invoke(invocation: Invocation, onFinished: () => void): Promise<InvocationResult> {
    const { promise, resolve } = Promise.withResolvers<InvocationResult>();
    const { event } = invocation;
    const { timeoutMs } = this.#lambda;
    const timedOut = `Task timed out after ${(timeoutMs / 1000).toFixed(2)} seconds`;
    const timer = setTimeout(() => this.#end(timedOut, 'Sandbox.Timedout'), timeoutMs);
    const finish = () => {
      clearTimeout(timer);
      this.#current = undefined;
      if (!this.#hasEnded) onFinished();
    };
    this.#current = { invocation, stream: undefined, resolve, finish };
    this.#worker.postMessage({ type: 'invoke', event, context: this.#contextOf(invocation) });
    return promise;
  }

  async stop(): Promise<void> {
    this.#end('Runtime exited with error: signal: killed');
    await this.#worker.terminate();
  }

  #receive(message: WorkerMessage): void {
    if (message.type === 'started') return void this.#start.resolve(message.error);
    const current = this.#current;
    if (!current) return;
    if (message.type === 'chunk') {
      const stream = this.#streamOf(current);
      // As on Lambda, a reader that goes away does not stop the function.
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
    // Without a reader, an error must not be thrown.
    stream.on('error', () => {});
    current.stream = stream;
    current.resolve({ stream });
    return stream;
  }

  /** Lets the function write its next chunk. */
  #proceed(): void {
    this.#worker.postMessage({ type: 'proceed' });
  }

  #fail(current: Current, error: FunctionError): void {
    this.#options.log(`Invoke Error ${JSON.stringify(error)}`);
    current.stream?.destroy(new Error(`${error.errorType}: ${error.errorMessage}`));
    current.resolve({ error });
  }

  /**
   * Ends the environment and what it runs. A thread that blocks is ended too.
   *
   * @see https://github.com/aws/aws-lambda-runtime-interface-emulator/blob/main/internal/lambda/rapid/handlers.go
   */
  #end(reason: string, errorType = 'Runtime.ExitError'): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const requestId = this.#current?.invocation.requestId ?? '';
    const error = { errorType, errorMessage: `RequestId: ${requestId} Error: ${reason}` };
    this.#start.resolve(error);
    if (this.#current) this.#fail(this.#current, error);
    this.#current?.finish();
    this.#options.onEnd();
    void this.#worker.terminate();
  }

  #contextOf({ requestId, invokedArn }: Invocation) {
    const { name, memorySizeMb, timeoutMs } = this.#lambda;
    return {
      awsRequestId: requestId,
      deadlineMs: Date.now() + timeoutMs,
      functionName: name,
      functionVersion: '$LATEST',
      invokedFunctionArn: invokedArn,
      memoryLimitInMB: String(memorySizeMb),
    };
  }
}

function startWorker(lambda: LambdaFunction, { variables, log }: EnvironmentOptions): Worker {
  // One tenth of the memory is for the young generation, as in the script `/var/runtime/bootstrap` of
  // AWS's public base image of nodejs18.x. Later images have not been checked.
  const newSpaceMb = Math.floor(lambda.memorySizeMb / 10);
  const worker = new Worker(new URL('./execution-environment-worker.js', import.meta.url), {
    workerData: { codeDirectory: lambda.codeDirectory, handler: lambda.handler },
    // https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
    env: {
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(lambda.memorySizeMb),
      AWS_LAMBDA_FUNCTION_NAME: lambda.name,
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      LAMBDA_TASK_ROOT: lambda.codeDirectory,
      TZ: ':UTC',
      _HANDLER: lambda.handler,
      ...variables,
      ...lambda.environment,
    },
    // The thread does not inherit the options of this process, such as a test runner's.
    execArgv: [],
    resourceLimits: {
      maxOldGenerationSizeMb: lambda.memorySizeMb - newSpaceMb,
      // In V8 the young generation has the size of three semi-spaces.
      maxYoungGenerationSizeMb: 3 * Math.floor(newSpaceMb / 2),
    },
    stdout: true,
    stderr: true,
  });
  for (const input of [worker.stdout, worker.stderr]) createInterface({ input }).on('line', log);
  return worker;
}
