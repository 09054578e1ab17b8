import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

/** Returns the port or, for 0, a free one. @throws the server's error if the address cannot be listened on */
export async function availablePort(port: number, host: string): Promise<number> {
  await using server = createServer().listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
