import { type IncomingMessage, request, type ServerResponse } from 'node:http';

/** Hands a request whose body has been read on to another server, and its answer back. */
export function forwardRequest(
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
