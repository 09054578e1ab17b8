import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import type { Gateway } from './api-gateway/gateway.ts';
import {
  type IncomingRequest,
  parseHeaders,
  parseTarget,
  readBody,
} from './api-gateway/incoming-request.ts';
import type { GatewayAnswer } from './api-gateway/request-context.ts';

/** Answers a request, or returns false to leave it to the gateway. A `GatewayFault` that it throws is answered. */
export type Handler = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
) => boolean | Promise<boolean>;

/** A request that the gateway has answered. */
export interface AnsweredRequest {
  readonly method: string;
  /** The path and query as the client sent them. */
  readonly target: string;
  readonly answer: GatewayAnswer;
  /** The time from the request's headers to the last byte of the answer. */
  readonly durationMs: number;
  /** Whether the whole answer was sent. */
  readonly isComplete: boolean;
}

/** The handlers and the address of an HTTP server. */
export interface HttpServerOptions {
  readonly gateway: Gateway;
  /** Handlers, which are called in this order, before the gateway. */
  readonly handlers: readonly Handler[];
  readonly host: string;
  /** The port to listen on, or 0 for any free port. */
  readonly port: number;
  /** Milliseconds since the epoch. Functions read the system's clock. */
  readonly now: () => number;
  /** Called for each request that the gateway has answered, when the answer has been sent. */
  readonly onAnswered?: ((answered: AnsweredRequest) => void) | undefined;
}

// Like API Gateway's timeout, this is longer than Node's default of five seconds.
const keepAliveTimeoutMs = 65_000;

// Far above API Gateway's 10 KB, so that the service, and not Node's parser, answers a request with a long path.
const headerMaxBytes = 1_048_576;

/** Starts a server. Node itself answers malformed HTTP. */
export async function startHttpServer(options: HttpServerOptions) {
  const settings = { keepAliveTimeout: keepAliveTimeoutMs, maxHeaderSize: headerMaxBytes };
  const server = createServer(settings, (incoming, outgoing) => {
    void respond(incoming, outgoing, options);
  });
  server.listen(options.port, options.host);
  await once(server, 'listening');
  return {
    origin: originOf(server, options.host),
    close: () => {
      server.closeAllConnections();
      return server[Symbol.asyncDispose]();
    },
  };
}

function originOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const name = isEverywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

async function respond(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  options: HttpServerOptions,
): Promise<void> {
  const startedAtMs = performance.now();
  // A single listener, because `pipeline` adds seven to the response, and Node warns above ten.
  const closed = new Promise((resolve) => outgoing.once('close', resolve));
  const request: IncomingRequest = {
    method: incoming.method!,
    ...parseTarget(incoming.url!),
    headers: parseHeaders(incoming.rawHeaders),
    body: Buffer.alloc(0),
    sourceIp: (incoming.socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
    timeMs: options.now(),
  };
  let answer: GatewayAnswer;
  try {
    for (const handler of options.handlers) {
      if (await handler(incoming, outgoing)) return;
    }
    answer = await options.gateway.answer({ ...request, body: await readBody(incoming) });
  } catch (error) {
    // Closing the connection shows the client that a partial answer is incomplete.
    if (outgoing.closed || outgoing.headersSent) return void outgoing.destroy();
    answer = options.gateway.answerFault(error, request);
  }
  void closed.then(() => {
    const durationMs = performance.now() - startedAtMs;
    const { method } = request;
    const isComplete = outgoing.writableFinished;
    options.onAnswered?.({ method, target: incoming.url!, answer, durationMs, isComplete });
  });
  // The time is from the gateway's clock, like the times in the other headers.
  outgoing.setHeader('Date', new Date(options.now()).toUTCString());
  if (!outgoing.closed) send(answer, outgoing);
  // The client has disconnected. A stream that is not destroyed would wait for it.
  else if (!Buffer.isBuffer(answer.body)) answer.body.destroy();
}

/** Node leaves out a body that the method or the status does not allow. */
function send({ statusCode, headers, body }: GatewayAnswer, outgoing: ServerResponse): void {
  outgoing.statusCode = statusCode;
  for (const [name, value] of headers) outgoing.appendHeader(name, value);
  if (Buffer.isBuffer(body)) {
    if (statusCode !== 204) outgoing.setHeader('Content-Length', body.length);
    outgoing.end(body);
    return;
  }
  // An error on one side destroys the other side, so that the client notices an incomplete answer.
  pipeline(body, outgoing, () => {});
}
