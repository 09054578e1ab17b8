import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { forwardRequest } from '../helpers/forward-request.ts';

/** An address that leads to a DynamoDB-compatible server, except for what it is told to refuse. */
export interface BreakableEndpoint extends AsyncDisposable {
  readonly url: string;
  /** From here on, breaks the connection of every request that names this table; '' names all. */
  readonly refuse: (tableName: string) => void;
  /** From here on, answers every request that names this table as if there were no such table. */
  readonly disown: (tableName: string) => void;
  /** Ends what `refuse` or `disown` began. */
  readonly restore: () => void;
}

interface Fault {
  readonly tableName: string;
  readonly answer: (outgoing: ServerResponse) => void;
}

export async function breakableEndpoint(target: string): Promise<BreakableEndpoint> {
  let fault: Fault | undefined;
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    if (fault && body.includes(fault.tableName)) fault.answer(outgoing);
    else forwardRequest(incoming, body, outgoing, target);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refuse: (tableName) => {
      fault = { tableName, answer: (outgoing) => outgoing.destroy() };
    },
    disown: (tableName) => {
      fault = { tableName, answer: answerNoTable };
    },
    restore: () => {
      fault = undefined;
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function answerNoTable(outgoing: ServerResponse): void {
  outgoing.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
  outgoing.end('{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException"}');
}
