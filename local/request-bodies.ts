import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayFault, type GatewayResponseType } from './exchange/gateway-fault.ts';

// API Gateway's maximum payload.
const bodyMaxBytes = 10_485_760;

// Of all bodies at once that wait for their end, or belong to a request that is not answered yet.
const allBodiesMaxBytes = 67_108_864;

/** How long a client may take to send a body. */
export const bodyTimeoutMs = 30_000;

/** Takes the bodies of requests, of which only so much is in memory at any time. */
export class RequestBodies {
  readonly #refusals = new WeakMap<IncomingMessage, (type: GatewayResponseType) => void>();
  /** What was found to be unreadable, which can be before anybody wants it. */
  readonly #unreadable = new WeakSet<IncomingMessage>();
  #heldBytes = 0;

  /**
   * Takes a whole body. One that is refused leaves its connection as it is: what still comes of it
   * is thrown away.
   *
   * @throws GatewayFault `REQUEST_TOO_LARGE`; `THROTTLED` when other bodies fill the memory there is
   *   for them; `BAD_REQUEST_PARAMETERS` when it is malformed, or its end does not come in time
   * @throws Error when the client goes away
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
    const giveBack = () => {
      this.#heldBytes -= bytes;
      bytes = 0;
    };
    incoming.on('data', take);
    incoming.once('end', () => resolve(Buffer.concat(chunks)));
    incoming.once('close', () => reject(new Error('the client has gone away')));
    outgoing.once('close', giveBack);
    try {
      return await promise;
    } catch (error) {
      chunks.length = 0;
      giveBack();
      throw error;
    } finally {
      clearTimeout(timer);
      this.#refusals.delete(incoming);
      incoming.off('data', take);
      incoming.resume();
    }
  }

  /** Refuses a body that cannot be read on, whether it is being taken or will be. */
  refuse(incoming: IncomingMessage): void {
    this.#unreadable.add(incoming);
    this.#refusals.get(incoming)?.('BAD_REQUEST_PARAMETERS');
  }
}
