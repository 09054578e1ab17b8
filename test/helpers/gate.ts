import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type LoopbackServer, listen } from './loopback-server.ts';

/**
 * An address at which what runs in another thread or process waits until the test lets it go on:
 * `await fetch(url)`. The test sees who has come, and need not guess how long that takes.
 */
export interface Gate extends LoopbackServer {
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
  return {
    ...(await listen(server)),
    arrivals: async (count) => {
      while (waiting.length < count) await once(server, 'arrival');
    },
    open: () => {
      isOpen = true;
      for (const outgoing of waiting.splice(0)) outgoing.end();
    },
  };
}
