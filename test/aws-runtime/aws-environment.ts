import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
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
} from '../../local/functions/execution-environment.ts';
import type { LambdaFunction } from '../../local/functions/lambda-functions.ts';
import { RuntimeApi } from './runtime-api.ts';
import { runtimeClient } from './runtime-client.ts';

/** The invocation that is under way. */
interface Current {
  readonly requestId: string;
  readonly resolve: (result: InvocationResult) => void;
  readonly finish: () => void;
  stream?: PassThrough;
  /** The runtime has not answered for it yet. */
  isOpen: boolean;
}

// As Lambda's own script sets it.
const maxHttpHeaderBytes = 81_920;

const responseTruncated: FunctionError = {
  errorType: 'Runtime.TruncatedResponse',
  errorMessage: 'The response ended before it was complete.',
};

// As Go names them, in which Lambda's own side of the runtime API is written.
const signalNames: Readonly<Record<string, string>> = {
  SIGABRT: 'aborted',
  SIGKILL: 'killed',
  SIGSEGV: 'segmentation fault',
};

/**
 * An execution environment that is a process of its own, with AWS's runtime interface client in it:
 * what a function meets there is AWS's code, and only the service at the client's other end is ours.
 */
export class AwsEnvironment implements ExecutionEnvironment {
  readonly #lambda: LambdaFunction;
  readonly #options: EnvironmentOptions;
  readonly #taskRoot: string;
  readonly #client = runtimeClient();
  readonly #api: RuntimeApi;
  readonly #started = Promise.withResolvers<FunctionError | undefined>();
  readonly #exited = Promise.withResolvers<void>();
  #process: ChildProcess | undefined;
  #current: Current | undefined;
  #isWaiting = false;
  #isStopping = false;
  #hasEnded = false;

  constructor(lambda: LambdaFunction, options: EnvironmentOptions) {
    this.#lambda = lambda;
    this.#options = options;
    // Below /var/task there is no package.json but a function's own, as there is none here.
    this.#taskRoot = mkdtempSync(join(tmpdir(), 'aws-task-'));
    cpSync(lambda.codeDirectory, this.#taskRoot, { recursive: true });
    this.#api = new RuntimeApi({
      onNext: () => this.#next(),
      onInitError: (error) => this.#started.resolve(error),
      onResponse: (payload) => this.#settle({ payload }),
      onError: (error) => this.#settle({ error }),
      onStream: (body) => this.#stream(body),
    });
    const timer = setTimeout(() => this.#kill(initializationTimedOut), initializationTimeoutMs);
    void this.#started.promise.then(() => clearTimeout(timer));
    void this.#start();
  }

  started(): Promise<FunctionError | undefined> {
    return this.#started.promise;
  }

  invoke(invocation: Invocation, onFinished: () => void): Promise<InvocationResult> {
    const { promise, resolve } = Promise.withResolvers<InvocationResult>();
    const { timeoutMs } = this.#lambda;
    const { requestId } = invocation;
    const timer = setTimeout(
      () => this.#kill(invocationTimedOut(this.#lambda, requestId)),
      timeoutMs,
    );
    const finish = () => {
      clearTimeout(timer);
      this.#current = undefined;
      if (!this.#hasEnded) onFinished();
    };
    this.#current = { requestId, resolve, finish, isOpen: true };
    this.#isWaiting = false;
    this.#api.send(invocation, Date.now() + timeoutMs);
    return promise;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#process?.kill('SIGKILL');
    await this.#exited.promise;
  }

  async #start(): Promise<void> {
    const address = await this.#api.listen();
    const { variables, log } = this.#options;
    const child = spawn(process.execPath, [...nodeArguments(this.#lambda), this.#client], {
      cwd: this.#taskRoot,
      env: {
        ...functionVariables(this.#lambda, variables, 'local/aws'),
        AWS_LAMBDA_RUNTIME_API: address,
        LAMBDA_TASK_ROOT: this.#taskRoot,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#process = child;
    for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', log);
    child.on('close', (code, signal) => {
      const status = signal ? (signalNames[signal] ?? signal) : (code ?? 0);
      this.#exit(runtimeExited(status, this.#current?.requestId));
      this.#api.close();
      rmSync(this.#taskRoot, { recursive: true, force: true });
      this.#exited.resolve();
    });
  }

  #next(): void {
    this.#started.resolve(undefined);
    this.#isWaiting = true;
    this.#finishWhenDone();
  }

  // After a stream that failed, the runtime asks for more before it has sent all of it.
  #finishWhenDone(): void {
    if (this.#isWaiting && this.#current && !this.#current.isOpen) this.#current.finish();
  }

  #settle(result: InvocationResult): void {
    this.#current?.resolve(result);
    if (this.#current) this.#current.isOpen = false;
  }

  /** Hands on what a streaming function sends, which ends with trailers that say how it went. */
  async #stream(body: IncomingMessage): Promise<void> {
    const current = this.#current!;
    const ended = Promise.withResolvers<void>();
    body.on('data', (chunk: Buffer) => this.#receive(chunk, body));
    body.on('error', () => {});
    body.on('close', () => {
      const error = body.complete ? trailerError(body) : responseTruncated;
      if (error) this.#fail(current, error);
      else this.#streamOf(current).end();
      current.isOpen = false;
      ended.resolve();
      this.#finishWhenDone();
    });
    await ended.promise;
  }

  /** A reader that has gone away, as a client does, has what is written after that discarded. */
  #receive(chunk: Buffer, body: IncomingMessage): void {
    const stream = this.#streamOf(this.#current!);
    if (stream.destroyed || stream.write(chunk)) return;
    body.pause();
    const resume = () => body.resume();
    stream.once('drain', resume).once('close', resume);
  }

  #streamOf(current: Current): PassThrough {
    // The pipeline reports an error to the reader. Without a reader, it must not be thrown.
    current.stream ??= new PassThrough().on('error', () => {});
    current.resolve({ stream: current.stream });
    return current.stream;
  }

  #fail(current: Current, error: FunctionError): void {
    current.stream?.destroy(new Error(`${error.errorType}: ${error.errorMessage}`));
    current.resolve({ error });
  }

  #exit(error: FunctionError): void {
    if (!this.#hasEnded && !this.#isStopping) this.#options.log(JSON.stringify(error));
    this.#end(error);
  }

  #kill(error: FunctionError): void {
    this.#end(error);
    this.#process?.kill('SIGKILL');
  }

  #end(error: FunctionError): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#started.resolve(error);
    if (this.#current) this.#fail(this.#current, error);
    this.#current?.finish();
    this.#options.onEnd();
  }
}

/** As Lambda's own script starts Node, with what belongs to the function's memory. */
function nodeArguments({ memorySizeMb }: LambdaFunction): string[] {
  const { oldSpaceMb, semiSpaceMb } = nodeHeapLimits(memorySizeMb);
  return [
    '--expose-gc',
    `--max-http-header-size=${maxHttpHeaderBytes}`,
    `--max-semi-space-size=${semiSpaceMb}`,
    `--max-old-space-size=${oldSpaceMb}`,
  ];
}

function trailerError({ trailers }: IncomingMessage): FunctionError | undefined {
  const type = trailers['lambda-runtime-function-error-type'];
  if (!type) return undefined;
  const body = trailers['lambda-runtime-function-error-body'] ?? '';
  return JSON.parse(Buffer.from(body, 'base64').toString());
}
