import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { failureAnswer } from '../helpers/canned-http-dynamodb.ts';
import { forwardRequest } from '../helpers/forward-request.ts';
import type { Endpoint } from './twin-stores.ts';

/** What becomes of requests that name a table. */
export type Failure = 'breaks the connection' | 'throttles' | 'refuses' | 'never answers';

/** An address that leads to a DynamoDB-compatible server, until it is told to fail. */
export interface FailingEndpoint extends Endpoint {
  /** @param failure undefined for no failure any more */
  fail(tableName: string, failure: Failure | undefined): void;
}

export async function failingEndpoint(target: string): Promise<FailingEndpoint> {
  const failures = new Map<string, Failure>();
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const failing = [...failures].find(([tableName]) => body.includes(tableName));
    if (failing) act(failing[1], incoming, outgoing);
    else forwardRequest(incoming, body, outgoing, target);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fail: (tableName, failure) => {
      if (failure) failures.set(tableName, failure);
      else failures.delete(tableName);
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function act(failure: Failure, incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (failure === 'breaks the connection') incoming.socket.destroy();
  if (failure === 'throttles') fail(outgoing, 'ProvisionedThroughputExceededException');
  if (failure === 'refuses') fail(outgoing, 'ValidationException');
}

function fail(outgoing: ServerResponse, type: string): void {
  const { status = 400, body } = failureAnswer(type);
  outgoing.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
  outgoing.end(JSON.stringify(body));
}
