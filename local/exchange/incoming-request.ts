/** A header as the client wrote it, with its values in the order in which they came. */
export interface RequestHeader {
  readonly name: string;
  readonly values: string[];
}

/** A request as it came from the client, taken apart but not yet looked at. */
export interface IncomingRequest {
  readonly method: string;
  /** Percent-encoded, with the stage, without the query; begins with a single slash. */
  readonly path: string;
  /** Decoded; every value of every name. */
  readonly query: ReadonlyMap<string, string[]>;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, RequestHeader>;
  readonly body: Buffer;
  readonly sourceIp: string;
  /** Such as `HTTP/1.1`. */
  readonly protocol: string;
  /** When it came, in milliseconds since the epoch. */
  readonly timeMs: number;
  /** Aborted when the client has gone. */
  readonly left?: AbortSignal | undefined;
}

/** What a server knows of a request. */
export interface RawRequest {
  readonly method: string;
  /** The request target: a path with its query, or a whole URL. */
  readonly target: string;
  /** Names and values in turn, as Node's `rawHeaders`. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /**
   * Takes the body when something wants it. @default - it is there already
   *
   * @throws GatewayFault for a body that is not taken
   */
  readonly readBody?: () => Promise<Buffer>;
  readonly sourceIp: string;
  readonly httpVersion: string;
  readonly timeMs: number;
  /** Aborted when the client has gone. */
  readonly left?: AbortSignal;
}

/** Takes a request apart. */
export function parseRequest(raw: RawRequest): IncomingRequest {
  const target = raw.target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const queryAt = target.indexOf('?');
  return {
    method: raw.method,
    path: withOneSlash(queryAt === -1 ? target : target.slice(0, queryAt)),
    query: parseQuery(queryAt === -1 ? '' : target.slice(queryAt + 1)),
    headers: parseHeaders(raw.rawHeaders),
    body: raw.body,
    sourceIp: raw.sourceIp,
    protocol: `HTTP/${raw.httpVersion}`,
    timeMs: raw.timeMs,
    left: raw.left,
  };
}

/**
 * A request's path from the API's root; undefined when it is not below the stage.
 *
 * @param path with the stage
 */
export function pathBelowStage(path: string, stage: string): string | undefined {
  const prefix = `/${stage}`;
  if (path === prefix) return '/';
  return path.startsWith(`${prefix}/`) ? withOneSlash(path.slice(prefix.length)) : undefined;
}

/** Whether every `%` of a path starts the encoding of a byte. */
export function isWellEncoded(path: string): boolean {
  return !/%(?![0-9A-Fa-f]{2})/.test(path);
}

/** API Gateway takes the slashes that a path begins with for one, before and after the stage. */
function withOneSlash(path: string): string {
  return path.replace(/^\/+/, '/');
}

function parseQuery(text: string): Map<string, string[]> {
  const query = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const values = query.get(name);
    if (values) values.push(value);
    else query.set(name, [value]);
  }
  return query;
}

function parseHeaders(rawHeaders: readonly string[]): Map<string, RequestHeader> {
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
