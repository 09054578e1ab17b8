import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { GatewayAnswer } from './exchange/gateway-answer.ts';
import { GatewayFault } from './exchange/gateway-fault.ts';
import type { RawRequest } from './exchange/incoming-request.ts';
import type { Gateway } from './gateway/gateway.ts';

/** Answers a request in the gateway's place; false leaves it to the gateway. */
export type Handler = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
) => boolean | Promise<boolean>;

/** A request that the gateway has answered. */
export interface AnsweredRequest {
  readonly method: string;
  /** Path and query as the client sent them. */
  readonly target: string;
  readonly answer: GatewayAnswer;
  /** From the request's headers to the last byte of the answer. */
  readonly durationMs: number;
  /** Whether the client was sent all of it. */
  readonly isComplete: boolean;
}

export interface HttpServerOptions {
  readonly gateway: Gateway;
  /** Asked in turn before the gateway is. */
  readonly handlers: readonly Handler[];
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Told of each request that the gateway has answered, once its answer has gone. */
  readonly onAnswered?: ((answered: AnsweredRequest) => void) | undefined;
}

export interface HttpServer {
  /** Such as `http://127.0.0.1:3000`. */
  readonly origin: string;
  /** Stops listening and breaks the connections that are open. */
  close(): Promise<void>;
}

// API Gateway's maximum payload.
const bodyMaxBytes = 10_485_760;

// As long as API Gateway keeps an idle connection: a client's next request must find it open.
const keepAliveTimeoutMs = 65_000;

// Far above API Gateway's 10 KB: a long path is the API's to answer, not the server's.
const headerMaxBytes = 1_048_576;

/** Serves a gateway over HTTP. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const server = createServer({
    maxHeaderSize: headerMaxBytes,
    requireHostHeader: false,
    keepAliveTimeout: keepAliveTimeoutMs,
  });
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse) =>
    void respond(incoming, outgoing, options);
  server.on('request', serve);
  server.on('checkContinue', (incoming, outgoing) => {
    outgoing.writeContinue();
    serve(incoming, outgoing);
  });
  // Node would refuse these two by itself, without the headers that every answer has to have.
  server.on('checkExpectation', serve);
  server.on('connect', (incoming: IncomingMessage, socket: Socket) => {
    const fault = new GatewayFault('MISSING_AUTHENTICATION_TOKEN');
    writeRaw(socket, options.gateway.answerFault(fault, rawRequest(incoming, options)));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    refuse(error, socket, options);
  });
  server.listen(options.port, options.host);
  await once(server, 'listening');
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

async function respond(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  options: HttpServerOptions,
): Promise<void> {
  const startedAtMs = performance.now();
  try {
    for (const handler of options.handlers) {
      if (await handler(incoming, outgoing)) return;
    }
    const answer = await answerOf(incoming, options);
    tellWhenSent(answer, startedAtMs, outgoing, options);
    send(answer, incoming, outgoing);
  } catch (error) {
    fail(error, incoming, outgoing, options);
  }
}

function tellWhenSent(
  answer: GatewayAnswer,
  startedAtMs: number,
  outgoing: ServerResponse,
  { onAnswered }: HttpServerOptions,
): void {
  if (!onAnswered) return;
  const { method = '', url: target = '' } = outgoing.req;
  outgoing.once('close', () => {
    const durationMs = performance.now() - startedAtMs;
    onAnswered({ method, target, answer, durationMs, isComplete: outgoing.writableFinished });
  });
}

function fail(
  error: unknown,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  options: HttpServerOptions,
): void {
  // The client has gone away, or has part of an answer already: it must not take that for all.
  if (incoming.socket.destroyed || outgoing.headersSent) {
    outgoing.destroy();
    return;
  }
  for (const name of outgoing.getHeaderNames()) outgoing.removeHeader(name);
  const fault = new GatewayFault('DEFAULT_5XX', { cause: error });
  send(options.gateway.answerFault(fault, rawRequest(incoming, options)), incoming, outgoing);
}

async function answerOf(
  incoming: IncomingMessage,
  options: HttpServerOptions,
): Promise<GatewayAnswer> {
  const { gateway } = options;
  const body = await readBody(incoming);
  if (body) return gateway.answer(rawRequest(incoming, options, body));
  const fault = new GatewayFault('REQUEST_TOO_LARGE');
  return gateway.answerFault(fault, rawRequest(incoming, options));
}

/** Undefined when the body is too large; the rest of it is thrown away as it comes. */
async function readBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    bytes += chunk.length;
    if (bytes <= bodyMaxBytes) chunks.push(chunk);
    else chunks.length = 0;
  }
  return bytes <= bodyMaxBytes ? Buffer.concat(chunks) : undefined;
}

function rawRequest(
  incoming: IncomingMessage,
  { now }: HttpServerOptions,
  body: Buffer = Buffer.alloc(0),
): RawRequest {
  return {
    method: incoming.method ?? '',
    target: incoming.url ?? '/',
    rawHeaders: incoming.rawHeaders,
    body,
    sourceIp: plainAddress(incoming.socket),
    httpVersion: incoming.httpVersion,
    timeMs: now(),
  };
}

function plainAddress(socket: Socket): string {
  return (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
}

function send(answer: GatewayAnswer, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { statusCode, headers, body } = answer;
  outgoing.statusCode = statusCode;
  for (const [name, value] of headers) outgoing.appendHeader(name, value);
  const hasBody = incoming.method !== 'HEAD' && statusCode !== 204 && statusCode !== 304;
  if (Buffer.isBuffer(body)) {
    if (statusCode !== 204) outgoing.setHeader('Content-Length', body.length);
    outgoing.end(hasBody ? body : undefined);
    return;
  }
  // A failure on either side breaks the other: the client must not take a part for the whole.
  pipeline(body, outgoing, () => {});
}

/** Answers what Node's parser could not read as a request. */
function refuse(error: NodeJS.ErrnoException, socket: Socket, options: HttpServerOptions): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const type =
    error.code === 'HPE_HEADER_OVERFLOW' ? 'REQUEST_TOO_LARGE' : 'BAD_REQUEST_PARAMETERS';
  const request: RawRequest = {
    method: '',
    target: '',
    rawHeaders: [],
    body: Buffer.alloc(0),
    sourceIp: plainAddress(socket),
    httpVersion: '1.1',
    timeMs: options.now(),
  };
  writeRaw(socket, options.gateway.answerFault(new GatewayFault(type), request));
}

function writeRaw(socket: Socket, { statusCode, headers, body }: GatewayAnswer): void {
  const lines = [
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ''}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${(body as Buffer).length}`,
    'Connection: close',
  ];
  socket.end(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body as Buffer]));
}
