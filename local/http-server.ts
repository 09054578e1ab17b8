import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { ConnectionTurns } from './connection-turns.ts';
import type { GatewayAnswer } from './exchange/gateway-answer.ts';
import { GatewayFault } from './exchange/gateway-fault.ts';
import type { RawRequest } from './exchange/incoming-request.ts';
import type { Gateway } from './gateway/gateway.ts';
import { RawAnswers } from './raw-answers.ts';
import { bodyTimeoutMs, RequestBodies } from './request-bodies.ts';

/**
 * Answers a request instead of the gateway. Returns false to leave the request to the gateway. A
 * `GatewayFault` that it throws becomes that fault's answer, any other error a 500.
 */
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
  /** Whether the whole answer was sent to the client. */
  readonly isComplete: boolean;
}

interface HttpServerOptions {
  readonly gateway: Gateway;
  /** Are called in this order, before the gateway. The first that returns true has answered. */
  readonly handlers: readonly Handler[];
  readonly host: string;
  /** The port to listen on, or 0 for any free port. */
  readonly port: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called for each request that the gateway has answered, when the answer has been sent. */
  readonly onAnswered?: ((answered: AnsweredRequest) => void) | undefined;
  /** Takes a line of the server's log. */
  readonly log: (line: string) => void;
}

interface HttpServer {
  /** The URL without a path, such as `http://127.0.0.1:3000`. */
  readonly origin: string;
  /** Stops listening and closes all open connections. */
  close(): Promise<void>;
}

// Longer than Node's default of five seconds, as in API Gateway, so that clients can reuse an idle
// connection.
const keepAliveTimeoutMs = 65_000;

// Far above API Gateway's 10 KB, so that the gateway, not Node's parser, answers a long path.
const headerMaxBytes = 1_048_576;

// Above what any test of the service opens, and low enough to bound the memory of all connections.
const maxConnections = 8_192;

// The limit also applies to a request whose body is never read. It is a little longer than that of
// a body that is read, so that such a request gets the gateway's own answer first.
const requestTimeoutMs = bodyTimeoutMs + 5_000;
const connectionsCheckMs = 5_000;

/** Serves a gateway over HTTP. No error on a client's connection ends the server. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const server = createServer({
    maxHeaderSize: headerMaxBytes,
    requireHostHeader: false,
    keepAliveTimeout: keepAliveTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: connectionsCheckMs,
  });
  server.maxConnections = maxConnections;
  const bodies = new RequestBodies();
  const rawAnswers = new RawAnswers();
  const turns = new ConnectionTurns();
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { socket } = incoming;
    rawAnswers.expect(incoming, outgoing, () => turns.release(socket));
    // Node reads nothing that comes after a request for another protocol: its sender is told so.
    if (incoming.headers.upgrade !== undefined) outgoing.shouldKeepAlive = false;
    turns.take(socket, () => {
      void respond(incoming, outgoing, { ...options, bodies });
    });
  };
  server.on('request', serve);
  server.on('checkContinue', serve);
  // Node would refuse an unknown `Expect` and a `CONNECT` by itself, without the headers that every
  // answer of the API must have.
  server.on('checkExpectation', serve);
  server.on('connect', (incoming: IncomingMessage, socket: Socket) => {
    const fault = new GatewayFault('MISSING_AUTHENTICATION_TOKEN');
    const request = rawRequest(incoming, options);
    void rawAnswers.end(socket, () => options.gateway.answerFault(fault, request));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // The bytes that cannot be parsed may belong to the body of a request that is being answered.
    const unfinished = rawAnswers.unfinished(socket);
    if (unfinished) bodies.refuse(unfinished);
    void rawAnswers.end(socket, unfinished ? undefined : () => refusal(error, socket, options));
  });
  server.listen(options.port, options.host);
  await once(server, 'listening');
  // For example, the process has no file descriptor left for a new connection. The connections
  // that are open are served on.
  server.on('error', (error) => options.log(`server: ${error.message}`));
  return { origin: originOf(server, options.host), close: () => close(server) };
}

function originOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const name = isEverywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

interface Serving extends HttpServerOptions {
  readonly bodies: RequestBodies;
}

async function respond(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  options: Serving,
): Promise<void> {
  const startedAtMs = performance.now();
  try {
    const unreadable = options.bodies.untilUnreadable(incoming);
    for (const handler of options.handlers) {
      if (await Promise.race([handler(incoming, outgoing), unreadable])) return;
    }
    const closed = whenClosed(outgoing);
    const request = arrivingRequest(incoming, outgoing, closed, options);
    const answer = await options.gateway.answer(request);
    const report = () => reportSent(answer, startedAtMs, outgoing, options);
    if (closed.aborted) report();
    else closed.addEventListener('abort', report);
    send(answer, outgoing);
  } catch (error) {
    fail(error, incoming, outgoing, options);
  }
}

/**
 * Returns a signal that is aborted when the response has been sent or the client has disconnected.
 * It adds a single listener to the response, because `pipeline` adds seven and Node warns above ten.
 */
function whenClosed(outgoing: ServerResponse): AbortSignal {
  const closing = new AbortController();
  outgoing.once('close', () => closing.abort());
  return closing.signal;
}

function reportSent(
  answer: GatewayAnswer,
  startedAtMs: number,
  outgoing: ServerResponse,
  { onAnswered }: HttpServerOptions,
): void {
  const { method, url } = outgoing.req;
  const durationMs = performance.now() - startedAtMs;
  const isComplete = outgoing.writableFinished;
  onAnswered?.({ method: method!, target: url!, answer, durationMs, isComplete });
}

function fail(
  error: unknown,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  options: HttpServerOptions,
): void {
  // The client has disconnected, or has received a part of an answer. Closing the connection shows
  // it that the answer is incomplete. Node sets the socket of a destroyed request to null, contrary
  // to its type.
  const socket: Socket | null = incoming.socket;
  if (!socket || socket.destroyed || outgoing.headersSent) {
    outgoing.destroy();
    return;
  }
  for (const name of outgoing.getHeaderNames()) outgoing.removeHeader(name);
  const fault =
    error instanceof GatewayFault ? error : new GatewayFault('DEFAULT_5XX', { cause: error });
  send(options.gateway.answerFault(fault, rawRequest(incoming, options)), outgoing);
}

/** A request whose body is read on demand, with a signal for the client's disconnecting. */
function arrivingRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  closed: AbortSignal,
  options: Serving,
): RawRequest {
  return {
    ...rawRequest(incoming, options),
    signal: closed,
    readBody: () => {
      if (expectsContinue(incoming)) outgoing.writeContinue();
      return options.bodies.read(incoming, outgoing);
    },
  };
}

/** Whether a client waits for an interim answer. One of HTTP/1.0 would take it for the final one. */
function expectsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion !== '1.0' && /^100-continue$/i.test(String(headers.expect));
}

function rawRequest(incoming: IncomingMessage, { now }: HttpServerOptions): RawRequest {
  return {
    method: incoming.method!,
    target: incoming.url!,
    rawHeaders: incoming.rawHeaders,
    body: Buffer.alloc(0),
    sourceIp: plainAddress(incoming.socket),
    httpVersion: incoming.httpVersion,
    timeMs: now(),
  };
}

function plainAddress(socket: Socket): string {
  return (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
}

/** Sends an answer. Node leaves out a body that the method or the status does not allow. */
function send(answer: GatewayAnswer, outgoing: ServerResponse): void {
  const { statusCode, headers, body } = answer;
  outgoing.statusCode = statusCode;
  for (const [name, value] of headers) outgoing.appendHeader(name, value);
  if (Buffer.isBuffer(body)) {
    if (statusCode !== 204) outgoing.setHeader('Content-Length', body.length);
    outgoing.end(body);
    return;
  }
  // An error on either side destroys the other, so that an incomplete answer is recognisable.
  pipeline(body, outgoing, () => {});
}

/** The answer to bytes that Node's parser could not read as a request. */
function refusal(
  error: NodeJS.ErrnoException,
  socket: Socket,
  { gateway, now }: HttpServerOptions,
): GatewayAnswer {
  const type =
    error.code === 'HPE_HEADER_OVERFLOW' ? 'REQUEST_TOO_LARGE' : 'BAD_REQUEST_PARAMETERS';
  const request: RawRequest = {
    method: '',
    target: '',
    rawHeaders: [],
    body: Buffer.alloc(0),
    sourceIp: plainAddress(socket),
    httpVersion: '1.1',
    timeMs: now(),
  };
  return gateway.answerFault(new GatewayFault(type), request);
}
