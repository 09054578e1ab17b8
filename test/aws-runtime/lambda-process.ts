import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { type LoopbackServer, serve } from '../helpers/loopback-server.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { runtimeClient } from './runtime-client.ts';

/** The result of an invocation, as the function's runtime reports it. */
export interface Report {
  /** A function's result as JSON, or the bytes that it streamed, the prelude included. */
  readonly payload: Buffer;
  /** The type of the error that ended the invocation. */
  readonly errorType: string | undefined;
}

/**
 * A function that runs as on Lambda: in its own process with AWS's runtime interface client, a bundle and the
 * variables of Lambda. This class is Lambda's side of the runtime API.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
export class LambdaProcess implements AsyncDisposable {
  readonly #code = temporaryDirectory();
  readonly #process: ChildProcess;
  readonly #server: LoopbackServer;
  /** The output of the process, when it has ended. */
  readonly output: Promise<string>;
  /** The runtime's request for its next invocation. */
  #next = Promise.withResolvers<ServerResponse>();
  #report = Promise.withResolvers<Report>();

  /** @param bundleDirectory is copied, because on Lambda no folder above a bundle has a package.json */
  static async start(bundleDirectory: string, variables: NodeJS.ProcessEnv) {
    let serveRuntime: LambdaProcess['handle'] | undefined;
    const server = await serve((request, response) => serveRuntime?.(request, response));
    const lambda = new LambdaProcess(server, bundleDirectory, variables);
    serveRuntime = (request, response) => lambda.handle(request, response);
    return lambda;
  }

  private constructor(server: LoopbackServer, bundleDirectory: string, env: NodeJS.ProcessEnv) {
    this.#server = server;
    cpSync(bundleDirectory, this.#code.path, { recursive: true });
    this.#process = spawn(process.execPath, ['--expose-gc', runtimeClient()], {
      cwd: this.#code.path,
      env: {
        ...env,
        // The home of the process has no profile, and no other file of the user who runs the test.
        HOME: this.#code.path,
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
        AWS_LAMBDA_FUNCTION_NAME: 'function',
        AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
        AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/function',
        AWS_LAMBDA_LOG_STREAM_NAME: 'stream',
        AWS_LAMBDA_RUNTIME_API: new URL(server.url).host,
        LAMBDA_TASK_ROOT: this.#code.path,
        _HANDLER: 'index.handler',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.output = text(this.#process.stdout!);
    this.#process.on('exit', (code, signal) => {
      this.#report.reject(new Error(`The process has ended: ${code ?? signal}`));
    });
  }

  /** @throws Error when the process ends */
  async invoke(event: object): Promise<Report> {
    const { promise } = this.#report;
    const response = await Promise.race([this.#next.promise, promise as Promise<never>]);
    this.#next = Promise.withResolvers();
    response.writeHead(200, {
      'content-type': 'application/json',
      'lambda-runtime-aws-request-id': 'invocation',
      'lambda-runtime-deadline-ms': String(Date.now() + 30_000),
      'lambda-runtime-invoked-function-arn': 'arn:aws:lambda:eu-central-1:123456789012:function:f',
    });
    response.end(JSON.stringify(event));
    const report = await promise;
    this.#report = Promise.withResolvers();
    return report;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.endsWith('/next')) {
      this.#next.resolve(response);
      return;
    }
    const payload = await buffer(request);
    const trailer = request.trailers['lambda-runtime-function-error-type'];
    const header = request.headers['lambda-runtime-function-error-type'];
    response.writeHead(202, { 'content-type': 'application/json' }).end('{"status":"OK"}');
    this.#report.resolve({ payload, errorType: trailer ?? header?.toString() });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#report.promise.catch(() => {});
    this.#process.kill('SIGKILL');
    await this.#server[Symbol.asyncDispose]();
    this.#code.remove();
  }
}
