import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { GatewayAnswer } from './exchange/gateway-answer.ts';

/** The requests of one connection that have not been answered yet. */
interface PendingAnswers {
  readonly answers: Set<ServerResponse>;
  /** The last request whose headers could be parsed. Its body may be incomplete. */
  latest: IncomingMessage;
  /** Called when all requests have been answered. */
  onSettled?: () => void;
}

// How long a client may keep its side of the connection open after the last answer.
const lingerMs = 1_000;

/**
 * Answers what Node hands over as a bare socket: a `CONNECT` request, or bytes that are not a
 * request. Earlier requests on the same connection are answered first.
 */
export class RawAnswers {
  readonly #pending = new WeakMap<Duplex, PendingAnswers>();
  readonly #ending = new WeakSet<Duplex>();

  /**
   * Records that a request will be answered on its connection.
   *
   * @param onAnswered called when the answer has been sent, or the client has disconnected
   */
  expect(incoming: IncomingMessage, outgoing: ServerResponse, onAnswered = () => {}): void {
    const { socket } = incoming;
    const pending = this.#pending.get(socket) ?? { answers: new Set(), latest: incoming };
    pending.latest = incoming;
    pending.answers.add(outgoing);
    this.#pending.set(socket, pending);
    outgoing.once('close', () => {
      pending.answers.delete(outgoing);
      if (pending.answers.size === 0) pending.onSettled?.();
      onAnswered();
    });
  }

  /** The request on a connection whose body has not been received completely, if there is one. */
  unfinished(socket: Duplex): IncomingMessage | undefined {
    const latest = this.#pending.get(socket)?.latest;
    return latest && !latest.complete ? latest : undefined;
  }

  /**
   * Ends a connection when everything on it has been answered.
   *
   * @param answer makes the last answer. @default - there is none
   */
  async end(socket: Duplex, answer?: () => GatewayAnswer): Promise<void> {
    // Node emits `clientError` again for each further chunk that it cannot parse, and has removed
    // its own error listener from the socket.
    if (this.#ending.has(socket)) return;
    this.#ending.add(socket);
    socket.on('error', () => socket.destroy());
    if (socket.writable) await this.#settled(socket);
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    socket.end(answer && asBytes(answer()));
    // If received data were unread when the socket closes, the system would reset the connection,
    // and the client could lose the answer.
    socket.resume();
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(timer));
  }

  #settled(socket: Duplex): Promise<void> {
    const pending = this.#pending.get(socket);
    return new Promise((resolve) => {
      if (pending && pending.answers.size > 0) pending.onSettled = resolve;
      else resolve();
    });
  }
}

function asBytes({ statusCode, headers, body }: GatewayAnswer): Buffer {
  const lines = [
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ''}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${(body as Buffer).length}`,
    'Connection: close',
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body as Buffer]);
}
