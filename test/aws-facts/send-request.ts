import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { FactRequest } from './fact.ts';

/** An answer as it came over the wire. */
interface ReceivedAnswer {
  readonly status: number;
  /** Names in their spelling, and values. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

/**
 * Sends a request with no headers but its own, `Host` and what frames it: every HTTP client adds
 * some, and refuses others that recorded requests have.
 */
export async function sendRequest(origin: string, request: FactRequest): Promise<ReceivedAnswer> {
  const { hostname, port, host } = new URL(origin);
  const body = bodyOf(request);
  const method = request.method ?? ('functionReturns' in request ? 'POST' : 'GET');
  const headers = { Host: host, ...framing(request, body), ...request.headers };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(Number(port), hostname);
  socket.write(
    Buffer.concat([
      Buffer.from(`${method} ${request.path} HTTP/1.1\r\n${lines.join('')}\r\n`),
      request.headers?.['Transfer-Encoding'] ? Buffer.from('0\r\n\r\n') : body,
    ]),
  );
  return parseAnswer(await buffer(socket));
}

function bodyOf({ body = '', bodyBase64, functionReturns }: FactRequest): Buffer {
  if (bodyBase64 !== undefined) return Buffer.from(bodyBase64, 'base64');
  return Buffer.from(functionReturns === undefined ? body : JSON.stringify(functionReturns));
}

function framing({ headers = {} }: FactRequest, body: Buffer): Record<string, string> {
  return {
    ...(headers.Connection ? {} : { Connection: 'close' }),
    ...(headers['Transfer-Encoding'] ? {} : { 'Content-Length': String(body.length) }),
  };
}

function parseAnswer(bytes: Buffer): ReceivedAnswer {
  const headEnd = bytes.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const status = Number(statusLine.split(' ')[1]);
  const rest = bytes.subarray(headEnd + 4);
  // What comes before the answer proper, such as `100 Continue`.
  if (status < 200) return parseAnswer(rest);
  return { status, headers: lines.map(headerOf), body: rest };
}

function headerOf(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}
