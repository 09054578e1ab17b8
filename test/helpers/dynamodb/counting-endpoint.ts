import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { RequestCounts } from '../../../bench/canned-dynamodb.ts';

export interface CountingEndpoint {
  endpoint: string;
  /** The requests since the start. */
  counts: RequestCounts;
  close(): void;
}

/** Starts a proxy that counts the requests to a DynamoDB-compatible server. Items are at most 1 KB. */
export async function startCountingEndpoint(target: string): Promise<CountingEndpoint> {
  const counts: RequestCounts = { requests: 0, readUnits: 0, writeUnits: 0 };
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    count(String(incoming.headers['x-amz-target']), body, counts);
    forward(incoming, body, outgoing, target);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { endpoint: `http://127.0.0.1:${port}`, counts, close };
}

function count(target: string, body: Buffer, counts: RequestCounts): void {
  counts.requests++;
  if (target.endsWith('.UpdateItem')) counts.writeUnits++;
  if (target.endsWith('.GetItem')) {
    counts.readUnits += JSON.parse(body.toString()).ConsistentRead ? 1 : 0.5;
  }
}

function forward(
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  outgoing: ServerResponse,
  target: string,
): void {
  const forwarded = request(new URL(url ?? '/', target), { method, headers });
  forwarded.on('response', (response) => {
    outgoing.writeHead(response.statusCode ?? 500, response.headers);
    response.pipe(outgoing);
  });
  forwarded.on('error', () => outgoing.destroy());
  forwarded.end(body);
}
