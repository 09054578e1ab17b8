import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

// Like API Gateway's timeout, this is longer than Node's default of five seconds.
const keepAliveTimeout = 65_000;

/**
 * Starts an HTTP server. If `answer` rejects, the connection is closed, so that the client notices an incomplete answer.
 *
 * @param port 0 for any free port
 */
export async function listen(
  answer: (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<unknown>,
  { host, port }: { host: string; port: number },
) {
  const server = createServer({ keepAliveTimeout }, (incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.listen(port, host);
  await once(server, 'listening');
  const reachable = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  const name = reachable.includes(':') ? `[${reachable}]` : reachable;
  return {
    origin: `http://${name}:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      return server[Symbol.asyncDispose]();
    },
  };
}
