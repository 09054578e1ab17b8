import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type LoopbackServer, listen } from '../../../test/helpers/loopback-server.ts';

/**
 * An address at which code in another thread or process waits, with `await fetch(url)`, until the
 * test lets it continue. The test is told of each arrival, so that it needs no sleep.
 */
interface Gate extends LoopbackServer {
  /** Resolves when a given number of callers are waiting. */
  arrivals(count: number): Promise<void>;
  /** Lets all waiting and all later callers continue. */
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
