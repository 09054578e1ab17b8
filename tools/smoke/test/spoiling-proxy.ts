import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type LoopbackServer, serve } from '../../../test/helpers/loopback-server.ts';

/** An answer of the service that can be changed before its client gets it. */
export interface Spoilable {
  status: number;
  /** The values by lower-case name. */
  headers: Record<string, string | string[] | undefined>;
  /** The body as text, also where it is sent gzipped. */
  text: string;
}

/** The parts of a request that mistakes depend on. */
export interface Asked {
  readonly method: string;
  /** The path below the base URL, without the query. */
  readonly path: string;
  readonly authorization: string | undefined;
}

/** Changes an answer that would have been right. */
export type Mistake = (answer: Spoilable, asked: Asked) => void;

export interface SpoilingProxy extends LoopbackServer {
  /** The base URL, with the stage and the version. */
  readonly url: string;
  /** The mistake in all answers from now on; undefined for none. */
  mistake: Mistake | undefined;
}

/** Starts a server that forwards requests to the service at a base URL, and spoils its answers. */
export async function spoilingProxy(baseUrl: string): Promise<SpoilingProxy> {
  const { origin, pathname } = new URL(baseUrl);
  const server = await serve(async (incoming, outgoing) => {
    const answer = await answerOf(incoming, origin);
    const path = incoming.url!.replace(pathname, '').replace(/\?.*$/, '');
    const { method = '', headers } = incoming;
    proxy.mistake?.(answer, { method, path, authorization: headers.authorization });
    send(answer, outgoing);
  });
  const proxy: SpoilingProxy = { ...server, url: server.url + pathname, mistake: undefined };
  return proxy;
}

async function answerOf(incoming: IncomingMessage, origin: string): Promise<Spoilable> {
  const { method, url, headers } = incoming;
  const { hostname, port } = new URL(origin);
  const forwarded = request({ hostname, port, method, path: url, headers });
  const answered = Promise.withResolvers<IncomingMessage>();
  forwarded.on('response', answered.resolve).on('error', answered.reject);
  incoming.pipe(forwarded);
  const response = await answered.promise;
  const body = await buffer(response);
  const isGzip = response.headers['content-encoding'] === 'gzip';
  return {
    status: response.statusCode!,
    headers: { ...response.headers },
    text: (isGzip ? gunzipSync(body) : body).toString(),
  };
}

function send({ status, headers, text }: Spoilable, outgoing: ServerResponse): void {
  const body = headers['content-encoding'] === 'gzip' ? gzipSync(text) : Buffer.from(text);
  const { 'transfer-encoding': _, connection: __, ...sent } = headers;
  if (sent['content-length']) sent['content-length'] = String(body.length);
  const defined = Object.entries(sent).filter(([, value]) => value !== undefined);
  outgoing.writeHead(status, Object.fromEntries(defined) as Record<string, string>);
  // Writing before the end leaves a stream without a Content-Length.
  if (body.length > 0) outgoing.write(body);
  outgoing.end();
}
