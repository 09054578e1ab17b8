import { once } from 'node:events';
import http, {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { denialOf, type Identities } from './identities.ts';
import { localRegion } from './local-client.ts';

/** A proxy before DynamoDB that authorizes all calls to the tables. */
export interface DynamoDBGuard {
  /** The endpoint for clients with an access key id of this run. */
  readonly endpoint: string;
  /** Forwards a call as a call of the operator. Its own signature does not matter. */
  forwardForOperator(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void>;
  close(): Promise<void>;
}

export interface GuardOptions {
  /** The URL of the DynamoDB-compatible server. */
  readonly endpoint: string;
  readonly identities: Identities;
  /** Whether the server is the embedded server, which executes one call at a time. */
  readonly isEmbedded: boolean;
  /** Milliseconds since the epoch, for the header `Date`, by which clients correct their clocks. */
  readonly now: () => number;
  readonly log: (line: string) => void;
}

const target = /^DynamoDB_20120810\.(\w+)$/;
const credential = /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\//;

// The headers that are not forwarded, because they belong to one connection or identify the caller.
const withheldHeaders = ['authorization', 'connection', 'host', 'keep-alive'];
// DynamoDB Local gives each access key its own tables, so all callers share this access key.
const sharedAuthorization =
  `AWS4-HMAC-SHA256 Credential=local/20260101/${localRegion}/dynamodb/aws4_request, ` +
  `SignedHeaders=host;x-amz-date, Signature=${'0'.repeat(64)}`;

// The embedded server takes about 15 ms for a page of this many small items, and a write waits for the page.
const embeddedPageMaxItems = 2_000;

const emptyPage = JSON.stringify({ Count: 0, Items: [], ScannedCount: 0 });

/**
 * Starts the guard on a free loopback port. The guard knows a sender by its random access key id. Signatures are not
 * verified, because a program that can read the id can read the secret, too. A web page knows neither. The guard also
 * refuses the preflight request with which a browser asks whether a page may send an `Authorization` header.
 */
export async function startDynamoDBGuard(options: GuardOptions): Promise<DynamoDBGuard> {
  const { identities, isEmbedded, now, log } = options;
  const upstream = new URL(options.endpoint);
  const { Agent, request } = upstream.protocol === 'https:' ? https : http;
  const agent = new Agent({ keepAlive: true });
  const callers = [identities.operator, ...identities.functions.values()];

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { headers } = incoming;
    const [, sender] = credential.exec(headers.authorization ?? '') ?? [];
    const caller = callers.find(({ accessKeyId }) => accessKeyId === sender);
    if (!caller) {
      incoming.resume();
      const message = 'The security token included in the request is invalid.';
      return sendError(outgoing, 403, 'UnrecognizedClientException', message);
    }
    const body = await buffer(incoming);
    const denial = denialOf(caller, operationOf(headers), body);
    if (!denial) return forward(headers, body, outgoing);
    log(`iam: ${denial}`);
    sendError(outgoing, 400, 'AccessDeniedException', denial);
  }

  async function forward(
    received: IncomingHttpHeaders,
    call: Buffer,
    outgoing: ServerResponse,
  ): Promise<void> {
    const isPlanned = isEmbedded && operationOf(received) === 'Scan';
    const body = isPlanned ? planScan(call) : call;
    if (!body) return sendJson(outgoing, 200, emptyPage);
    const headers = forwardedHeaders(received, body);
    let response: IncomingMessage;
    try {
      const sent = request(upstream, { agent, method: 'POST', headers }).end(body);
      // If the connection is reset during the response, the request and the response fail. `pipeline` handles the error
      // of the response, so the error of the request is ignored.
      sent.on('error', () => {});
      [response] = await once(sent, 'response');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Only the origin, which does not contain the URL's password.
      const message = `${upstream.origin} does not answer (${code})`;
      return sendError(outgoing, 503, 'ServiceUnavailable', message);
    }
    const answered = Object.entries(response.headers);
    const shown = answered.filter(([name]) => /^(?:content-|x-amz)/.test(name));
    outgoing.writeHead(response.statusCode!, Object.fromEntries(shown));
    // An error on one side destroys the other side, so that the client notices an incomplete answer.
    await pipeline(response, outgoing);
  }

  const server = http.createServer((incoming, outgoing) => {
    outgoing.setHeader('Date', new Date(now()).toUTCString());
    answer(incoming, outgoing).catch(() => outgoing.destroy());
  });
  // 0 means no timeout. With a timeout, a function could send a call on an idle connection that is being closed.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forwardForOperator: async (incoming, outgoing) =>
      forward(incoming.headers, await buffer(incoming), outgoing),
    close: async () => {
      server.closeAllConnections();
      agent.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}

/**
 * Shortens a scan for the embedded server, which reads the items of all segments for each page of one segment. DynamoDB
 * may put an item into any segment, so here the first segment has all items. For the other segments, this returns
 * undefined, and the answer is `emptyPage`.
 */
function planScan(body: Buffer): Buffer | undefined {
  const { Segment, TotalSegments, ...rest } = JSON.parse(body.toString());
  if (Segment) return undefined;
  const Limit = Math.min(rest.Limit ?? embeddedPageMaxItems, embeddedPageMaxItems);
  return Buffer.from(JSON.stringify({ ...rest, Limit }));
}

function forwardedHeaders(headers: IncomingHttpHeaders, body: Buffer) {
  const others = Object.entries(headers).filter(([name]) => !withheldHeaders.includes(name));
  return {
    ...Object.fromEntries(others),
    'content-length': body.length,
    authorization: sharedAuthorization,
  };
}

function operationOf(headers: IncomingHttpHeaders): string {
  return target.exec(String(headers['x-amz-target']))?.[1] ?? '';
}

function sendError(outgoing: ServerResponse, status: number, type: string, message: string): void {
  const body = { __type: `com.amazon.coral.service#${type}`, Message: message };
  sendJson(outgoing, status, JSON.stringify(body));
}

function sendJson(outgoing: ServerResponse, status: number, body: string): void {
  outgoing.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0' }).end(body);
}
