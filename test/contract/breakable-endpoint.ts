import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { forwardRequest } from '../helpers/forward-request.ts';

/** An address that leads to a DynamoDB-compatible server, except for what it is told to refuse. */
export interface BreakableEndpoint extends AsyncDisposable {
  readonly url: string;
  /** From here on, breaks the connection of every request that names this table; '' names all. */
  readonly refuse: (tableName: string) => void;
}

export async function breakableEndpoint(target: string): Promise<BreakableEndpoint> {
  let refused: string | undefined;
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    if (refused !== undefined && body.includes(refused)) incoming.socket.destroy();
    else forwardRequest(incoming, body, outgoing, target);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refuse: (tableName) => {
      refused = tableName;
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
