import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json, text } from 'node:stream/consumers';
import type { FunctionError, Invocation } from '../../local/functions/execution-environment.ts';

/** What a runtime asks and reports. */
interface Runtime {
  /** Resolves when the runtime waits for an invocation, and so has finished the previous one. */
  onNext(): void;
  onInitError(error: FunctionError): void;
  onResponse(payload: string): void;
  onError(error: FunctionError): void;
  /** The answer to a streaming function's report is sent when this has resolved. */
  onStream(body: IncomingMessage): Promise<void>;
}

const version = '/2018-06-01/runtime';

/**
 * The HTTP API with which Lambda's service and a function's runtime talk, for one execution
 * environment and one invocation at a time.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
export class RuntimeApi {
  // A runtime may be silent for as long as its function takes.
  readonly #server = createServer(
    { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 },
    (request, response) => this.#serve(request, response),
  );
  readonly #runtime: Runtime;
  #waiting: ServerResponse | undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Host and port, as in `AWS_LAMBDA_RUNTIME_API`. */
  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Gives the waiting runtime an invocation. */
  send({ event, requestId, invokedArn }: Invocation, deadlineMs: number): void {
    this.#waiting?.writeHead(200, {
      'content-type': 'application/json',
      'lambda-runtime-aws-request-id': requestId,
      'lambda-runtime-deadline-ms': String(deadlineMs),
      'lambda-runtime-invoked-function-arn': invokedArn,
    });
    this.#waiting?.end(event);
    this.#waiting = undefined;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const route = request.url?.replace(version, '').split('/').at(-1);
    if (route === 'next') {
      this.#waiting = response;
      this.#runtime.onNext();
      return;
    }
    await this.#report(request, route === 'response');
    response.writeHead(202, { 'content-type': 'application/json' }).end('{"status":"OK"}');
  }

  async #report(request: IncomingMessage, isResponse: boolean): Promise<void> {
    const mode = request.headers['lambda-runtime-function-response-mode'];
    if (mode === 'streaming') await this.#runtime.onStream(request);
    else if (isResponse) this.#runtime.onResponse(await text(request));
    else if (request.url === `${version}/init/error`) {
      this.#runtime.onInitError((await json(request)) as FunctionError);
    } else this.#runtime.onError((await json(request)) as FunctionError);
  }
}
