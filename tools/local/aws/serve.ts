import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { parseHeaders, parseTarget } from './api-gateway/incoming-request.ts';
import type { GatewayAnswer } from './api-gateway/request-context.ts';
import type { Account, Deployment } from './deployment.ts';
import { listen } from './listen.ts';
import { answerManagement } from './management/management.ts';

/** Answers a request, or returns false to leave it to the gateway. */
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
}

interface ServeOptions {
  readonly host?: string;
  /** The port to listen on, or 0 for any free port. */
  readonly port?: number;
  /** Is called before the gateway. */
  readonly handler?: Handler;
  /** Called for each request that the gateway has answered, when the answer has been sent. */
  readonly onAnswered?: ((answered: AnsweredRequest) => void) | undefined;
}

/**
 * Listens for requests of clients, which a deployment answers, and for calls of an operator. Node itself answers
 * malformed HTTP.
 */
export async function serve(first: Deployment, account: Account, options: ServeOptions = {}) {
  const { host = '127.0.0.1', port = 0, handler, onAnswered } = options;
  let current = first;

  async function respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const startedAtMs = performance.now();
    const closed = once(outgoing, 'close');
    if (await answerManagement(incoming, outgoing, { ...account, ...current })) return;
    if (await handler?.(incoming, outgoing)) return;
    const [method, target] = [incoming.method!, incoming.url!];
    const given = await current.gateway({
      method,
      ...parseTarget(target),
      headers: parseHeaders(incoming.rawHeaders),
      body: await buffer(incoming),
      sourceIp: (incoming.socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
      timeMs: Date.now(),
    });
    // The body of an error is read as a whole, because it is small, and `onAnswered` may need its code.
    const answer =
      given.statusCode < 400 || Buffer.isBuffer(given.body)
        ? given
        : { ...given, body: await buffer(given.body) };
    send(answer, outgoing);
    await closed;
    // Like on Lambda, a function that streams goes on when its client has left.
    if (!Buffer.isBuffer(answer.body)) answer.body.unpipe().resume();
    onAnswered?.({ method, target, answer, durationMs: performance.now() - startedAtMs });
  }

  const { origin, close } = await listen(respond, { host, port });
  return {
    /** The URL without a path, such as `http://127.0.0.1:3000`. */
    origin,
    /** Lets another deployment answer, from the next request on. */
    replace: (next: Deployment) => {
      current = next;
    },
    close,
  };
}

/** Sends an answer. Node leaves out a body that the method or the status does not allow. */
function send({ statusCode, headers, body }: GatewayAnswer, outgoing: ServerResponse): void {
  outgoing.statusCode = statusCode;
  for (const [name, value] of headers) outgoing.appendHeader(name, value);
  if (Buffer.isBuffer(body)) {
    if (statusCode !== 204) outgoing.setHeader('Content-Length', body.length);
    outgoing.end(body);
    return;
  }
  // Closing the connection shows the client that the answer is incomplete.
  finished(body, { writable: false }, (error) => error && outgoing.destroy());
  body.pipe(outgoing);
}
