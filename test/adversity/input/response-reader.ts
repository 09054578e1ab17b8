/** A response as it was received. */
export interface RawResponse {
  readonly status: number;
  /** The values of the headers by lower-case name. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: string;
}

const headEnd = Buffer.from('\r\n\r\n');

/**
 * Parses responses from a stream of bytes. Interim responses (100 to 199) are skipped.
 *
 * @throws SyntaxError for bytes that are not a response
 */
export class ResponseReader {
  #rest: Buffer = Buffer.alloc(0);

  get hasRest(): boolean {
    return this.#rest.length > 0;
  }

  /**
   * Adds bytes. Returns the responses that are now complete.
   *
   * @param isHead whether the response with a number, counted from 0, answers a HEAD and has no body
   * @param firstNumber the number of the next response
   */
  push(bytes: Buffer, isHead: (number: number) => boolean, firstNumber: number): RawResponse[] {
    this.#rest = this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes;
    const responses: RawResponse[] = [];
    for (;;) {
      const read = readOne(this.#rest, isHead(firstNumber + responses.length));
      if (!read) return responses;
      this.#rest = this.#rest.subarray(read.length);
      if (read.response.status >= 200) responses.push(read.response);
    }
  }
}

function readOne(
  bytes: Buffer,
  isHead: boolean,
): { response: RawResponse; length: number } | undefined {
  const end = bytes.indexOf(headEnd);
  if (end < 0) return undefined;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  if (!status) throw new SyntaxError(`no status line: ${JSON.stringify(statusLine.slice(0, 200))}`);
  const headers = headersOf(lines);
  const start = end + headEnd.length;
  if (isHead || status === 204 || status === 304 || status < 200) {
    return { response: { status, headers, body: '' }, length: start };
  }
  const read = headers.has('transfer-encoding')
    ? readChunks(bytes, start)
    : readLength(bytes, start, Number(headers.get('content-length')?.[0]));
  return read && { response: { status, headers, body: read.body }, length: read.end };
}

function headersOf(lines: readonly string[]): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()]);
  }
  return headers;
}

function readLength(bytes: Buffer, start: number, length: number) {
  if (Number.isNaN(length)) throw new SyntaxError('a body without a length');
  const end = start + length;
  return bytes.length < end ? undefined : { body: bytes.toString('utf8', start, end), end };
}

function readChunks(bytes: Buffer, start: number) {
  const pieces: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const length = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const next = lineEnd + 2 + length + 2;
    if (bytes.length < next) return undefined;
    if (length === 0) return { body: Buffer.concat(pieces).toString('utf8'), end: next };
    pieces.push(bytes.subarray(lineEnd + 2, next - 2));
    at = next;
  }
}
