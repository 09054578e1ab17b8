import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream';

export interface Network extends AsyncDisposable {
  readonly url: string;
  readonly connections: number;
  /** Loses all existing connections, without notifying either end. */
  lose(): void;
}

/** A network between a function and a server, which can lose connections as a long freeze of Lambda does. */
export async function networkBefore(serverUrl: string): Promise<Network> {
  const { hostname, port, protocol } = new URL(serverUrl);
  const ends: Socket[] = [];
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    ends.push(near, far);
    pipeline(near, far, near, () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `${protocol}//${hostname}:${(server.address() as AddressInfo).port}`,
    get connections() {
      return ends.length / 2;
    },
    lose() {
      for (const end of ends.splice(0))
        end
          .removeAllListeners()
          .on('error', () => {})
          .resume();
    },
    async [Symbol.asyncDispose]() {
      for (const end of ends) end.destroy();
      server.close();
    },
  };
}
