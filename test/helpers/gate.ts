import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * An address at which what runs in another thread or process waits until the test lets it go on:
 * `await fetch(url)`. The test sees who has come, and need not guess how long that takes.
 */
export interface Gate extends AsyncDisposable {
  readonly url: string;
  /** Resolves when so many are waiting. */
  arrivals(count: number): Promise<void>;
  /** Lets all that are waiting go on, and all that come later pass. */
  open(): void;
}

export async function closedGate(): Promise<Gate> {
  const waiting: ServerResponse[] = [];
  let isOpen = false;
  const server = createServer((_incoming, outgoing) => {
    if (isOpen) outgoing.end();
    else waiting.push(outgoing);
    server.emit('arrival');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals: async (count) => {
      while (waiting.length < count) await once(server, 'arrival');
    },
    open: () => {
      isOpen = true;
      for (const outgoing of waiting.splice(0)) outgoing.end();
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
