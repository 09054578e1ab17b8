/** A request of a client, parsed but not validated. */
export interface IncomingRequest {
  readonly method: string;
  /** The percent-encoded path with the stage, without the query. Starts with a single slash. */
  readonly path: string;
  /** Decoded. */
  readonly query: ReadonlyMap<string, string[]>;
  /** The headers by lower-case name: the client's spelling of the name, and the values in the order of arrival. */
  readonly headers: ReadonlyMap<string, { readonly name: string; readonly values: string[] }>;
  readonly body: Buffer;
  readonly sourceIp: string;
  /** Milliseconds since the epoch. */
  readonly timeMs: number;
}

export function parseTarget(target: string): Pick<IncomingRequest, 'path' | 'query'> {
  const [path, ...rest] = target.split('?');
  const query = new URLSearchParams(rest.join('?'));
  const values = [...query.keys()].map((name) => [name, query.getAll(name)] as const);
  return { path: withOneSlash(path!), query: new Map(values) };
}

/** The part of a request's path after the stage; undefined if the path is not below the stage. */
export function pathBelowStage(path: string, stage: string): string | undefined {
  const prefix = `/${stage}/`;
  return `${path}/`.startsWith(prefix) ? withOneSlash(path.slice(prefix.length - 1)) : undefined;
}

/** API Gateway treats several slashes at the start of a path as one slash, both before and after the stage. */
function withOneSlash(path: string): string {
  return path.replace(/^\/*/, '/');
}

/** @param rawHeaders alternating names and values, like Node's */
export function parseHeaders(rawHeaders: readonly string[]): IncomingRequest['headers'] {
  const headers = new Map<string, { name: string; values: string[] }>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    const header = headers.get(name.toLowerCase()) ?? { name, values: [] };
    header.values.push(rawHeaders[index + 1]!);
    headers.set(name.toLowerCase(), header);
  }
  return headers;
}
