import type { IncomingMessage } from 'node:http';
import { GatewayFault } from './gateway-fault.ts';

/** A header with the client's spelling of its name, and its values in the order of arrival. */
export interface RequestHeader {
  readonly name: string;
  readonly values: string[];
}

/** A request of a client, parsed but not validated. */
export interface IncomingRequest {
  readonly method: string;
  /** The percent-encoded path with the stage, without the query. Starts with a single slash. */
  readonly path: string;
  /** Decoded. */
  readonly query: ReadonlyMap<string, string[]>;
  /** The headers by lower-case name. */
  readonly headers: ReadonlyMap<string, RequestHeader>;
  readonly body: Buffer;
  readonly sourceIp: string;
  /** Milliseconds since the epoch. */
  readonly timeMs: number;
}

// API Gateway's maximum payload size.
const bodyMaxBytes = 10_485_760;

/**
 * Reads a whole body. If the body is refused, the connection stays open, and the rest of the body is discarded.
 *
 * @throws GatewayFault, or a stream's error
 */
export async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > bodyMaxBytes) break;
    chunks.push(chunk);
  }
  if (bytes <= bodyMaxBytes) return Buffer.concat(chunks);
  // Called after the loop, because within the loop it would have no effect.
  incoming.resume();
  throw new GatewayFault('REQUEST_TOO_LARGE');
}

/** @param target a path with its query, or an absolute URL */
export function parseTarget(target: string): Pick<IncomingRequest, 'path' | 'query'> {
  const withoutOrigin = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const [, path, text] = /^([^?]*)\??(.*)$/s.exec(withoutOrigin)!;
  const query = new URLSearchParams(text);
  const values = [...query.keys()].map((name) => [name, query.getAll(name)] as const);
  return { path: withOneSlash(path!), query: new Map(values) };
}

/** The part of a request's path after the stage; undefined if the path is not below the stage. */
export function pathBelowStage(path: string, stage: string): string | undefined {
  const prefix = `/${stage}`;
  if (path === prefix) return '/';
  return path.startsWith(`${prefix}/`) ? withOneSlash(path.slice(prefix.length)) : undefined;
}

/** API Gateway treats several slashes at the start of a path as one, before and after the stage. */
function withOneSlash(path: string): string {
  return path.replace(/^\/+/, '/');
}

/** @param rawHeaders alternating names and values, like Node's */
export function parseHeaders(rawHeaders: readonly string[]): Map<string, RequestHeader> {
  const headers = new Map<string, RequestHeader>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    const value = rawHeaders[index + 1]!;
    const header = headers.get(name.toLowerCase());
    if (header) header.values.push(value);
    else headers.set(name.toLowerCase(), { name, values: [value] });
  }
  return headers;
}
