import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { GatewayAnswer } from './exchange/gateway-answer.ts';

/** What a connection still owes its client. */
interface Owed {
  readonly answers: Set<ServerResponse>;
  /** The last request that could be read, as far as it has come. */
  latest: IncomingMessage;
  /** Told when there is nothing owed any more. */
  onSettled?: () => void;
}

// A client that does not close its side of a connection that is over.
const lingerMs = 1_000;

/**
 * Answers what Node hands out as a bare socket: a request for a tunnel, or bytes that are no
 * request. Requests that came before on the same connection are answered first.
 */
export class RawAnswers {
  readonly #owed = new WeakMap<Duplex, Owed>();
  readonly #ending = new WeakSet<Duplex>();

  /** Notes that a request is to be answered on its connection. */
  expect(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { socket } = incoming;
    const owed = this.#owed.get(socket) ?? { answers: new Set(), latest: incoming };
    owed.latest = incoming;
    owed.answers.add(outgoing);
    this.#owed.set(socket, owed);
    outgoing.once('close', () => {
      owed.answers.delete(outgoing);
      if (owed.answers.size === 0) owed.onSettled?.();
    });
  }

  /** The request whose body is still to come on a connection. */
  unfinished(socket: Duplex): IncomingMessage | undefined {
    const latest = this.#owed.get(socket)?.latest;
    return latest && !latest.complete ? latest : undefined;
  }

  /**
   * Ends a connection when everything on it has been answered.
   *
   * @param answer makes the last answer. @default - there is none
   */
  async end(socket: Duplex, answer?: () => GatewayAnswer): Promise<void> {
    // Node tells of each further piece of what it cannot read, and listens no more by itself.
    if (this.#ending.has(socket)) return;
    this.#ending.add(socket);
    socket.on('error', () => socket.destroy());
    if (socket.writable) await this.#settled(socket);
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    socket.end(answer && asBytes(answer()));
    // What is left unread when a connection closes takes what was answered with it.
    socket.resume();
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(timer));
  }

  #settled(socket: Duplex): Promise<void> {
    const owed = this.#owed.get(socket);
    return new Promise((resolve) => {
      if (owed && owed.answers.size > 0) owed.onSettled = resolve;
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
