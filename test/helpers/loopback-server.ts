import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LoopbackServer {
  readonly url: string;
  /** Closes the server and its connections. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Listens on a free port of this machine. */
export async function listen(server: Server, scheme = 'http'): Promise<LoopbackServer> {
  // The server never closes an idle connection, because tests expect that only the client closes a connection.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** An HTTP server within a test. */
export function serve(handle: RequestListener): Promise<LoopbackServer> {
  return listen(createServer(handle));
}
