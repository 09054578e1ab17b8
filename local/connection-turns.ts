import type { Socket } from 'node:net';

/** The requests of one connection. */
interface Connection {
  /** How many are being served. */
  served: number;
  /** Those that wait, in the order of their arrival. */
  readonly waiting: (() => void)[];
}

// More than a client needs that sends requests without waiting for their answers (pipelining).
const maxServed = 8;

// A connection with more requests than this is not read until some of them were answered. A client
// below it never notices, not even one whose request arrives in parts.
const maxWaiting = 64;

/**
 * Limits how many requests of one connection are served at once. Node reports each request as soon as
 * it has been read. A few megabytes contain a hundred thousand of them, and without a limit a client
 * with one connection would keep the service busy for minutes, even after it has left.
 */
export class ConnectionTurns {
  readonly #connections = new WeakMap<Socket, Connection>();

  /**
   * Serves a request, at once or when earlier ones of its connection have been answered. It is not
   * served if the connection closes before.
   */
  take(socket: Socket, serve: () => void): void {
    const connection = this.#connections.get(socket) ?? { served: 0, waiting: [] };
    this.#connections.set(socket, connection);
    connection.waiting.push(serve);
    serveNext(socket, connection);
  }

  /** Has to be called when a request that was served has been answered. */
  release(socket: Socket): void {
    const connection = this.#connections.get(socket)!;
    connection.served--;
    serveNext(socket, connection);
  }
}

function serveNext(socket: Socket, connection: Connection): void {
  const { waiting } = connection;
  const hadToWait = waiting.length > maxWaiting;
  while (connection.served < maxServed && waiting.length > 0 && !socket.destroyed) {
    const serve = waiting.shift()!;
    connection.served++;
    serve();
  }
  // Node resumes the socket whenever an answer is complete, so it is paused each time.
  if (waiting.length > maxWaiting) socket.pause();
  else if (hadToWait) socket.resume();
}
