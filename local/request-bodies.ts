import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayFault, type GatewayResponseType } from './exchange/gateway-fault.ts';

// API Gateway's maximum payload size.
const bodyMaxBytes = 10_485_760;

// The total of all bodies in memory, both incomplete ones and those of unanswered requests.
const allBodiesMaxBytes = 67_108_864;

/** How long a client may take to send a body. */
export const bodyTimeoutMs = 30_000;

/** Reads the bodies of requests, within a limit for the memory that all of them take together. */
export class RequestBodies {
  readonly #refusals = new WeakMap<IncomingMessage, (type: GatewayResponseType) => void>();
  /** Requests whose body cannot be parsed, which can turn out before `read` is called. */
  readonly #unreadable = new WeakSet<IncomingMessage>();
  #heldBytes = 0;

  /**
   * Reads a whole body. After a refusal the connection stays open, and the rest of the body is
   * received and discarded.
   *
   * @throws GatewayFault `REQUEST_TOO_LARGE`; `THROTTLED` when all bodies together would exceed
   *   their memory limit; `BAD_REQUEST_PARAMETERS` when the body is malformed or takes too long
   * @throws Error when the client disconnects
   */
  async read(incoming: IncomingMessage, outgoing: ServerResponse): Promise<Buffer> {
    if (Number(incoming.headers['content-length']) > bodyMaxBytes) {
      throw new GatewayFault('REQUEST_TOO_LARGE');
    }
    if (this.#unreadable.has(incoming)) throw new GatewayFault('BAD_REQUEST_PARAMETERS');
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const refuse = (type: GatewayResponseType) => reject(new GatewayFault(type));
    const timer = setTimeout(() => refuse('BAD_REQUEST_PARAMETERS'), bodyTimeoutMs);
    this.#refusals.set(incoming, refuse);
    const chunks: Buffer[] = [];
    let bytes = 0;
    const take = (chunk: Buffer) => {
      if (bytes + chunk.length > bodyMaxBytes) return refuse('REQUEST_TOO_LARGE');
      if (this.#heldBytes + chunk.length > allBodiesMaxBytes) return refuse('THROTTLED');
      bytes += chunk.length;
      this.#heldBytes += chunk.length;
      chunks.push(chunk);
    };
    const releaseMemory = () => {
      this.#heldBytes -= bytes;
      bytes = 0;
    };
    incoming.on('data', take);
    incoming.once('end', () => resolve(Buffer.concat(chunks)));
    incoming.once('close', () => reject(new Error('the client has disconnected')));
    outgoing.once('close', releaseMemory);
    try {
      return await promise;
    } catch (error) {
      chunks.length = 0;
      releaseMemory();
      throw error;
    } finally {
      clearTimeout(timer);
      // The request keeps flowing, so that the rest of its body is received and discarded.
      incoming.off('data', take);
    }
  }

  /**
   * Rejects when a body that is read elsewhere cannot be parsed any further. Node ends neither such a
   * request nor its connection, so whoever reads it would wait forever.
   *
   * @throws GatewayFault `BAD_REQUEST_PARAMETERS`
   */
  untilUnreadable(incoming: IncomingMessage): Promise<never> {
    const { promise, reject } = Promise.withResolvers<never>();
    this.#refusals.set(incoming, (type) => reject(new GatewayFault(type)));
    // It may be rejected when nobody waits for it any more.
    promise.catch(() => {});
    return promise;
  }

  /** Refuses a request whose body cannot be parsed any further, now or when `read` is called. */
  refuse(incoming: IncomingMessage): void {
    this.#unreadable.add(incoming);
    this.#refusals.get(incoming)?.('BAD_REQUEST_PARAMETERS');
  }
}
