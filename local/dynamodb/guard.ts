import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { denialOf, type Identities, type Identity } from './identities.ts';
import { planScan } from './scan-plan.ts';
import { ScanQueue } from './scan-queue.ts';
import { isSignedWith, readSignature } from './signature.ts';
import { answerHeaders, type Call, connectUpstream, type Upstream } from './upstream.ts';

/** The one way to the tables of a run. */
export interface DynamoDBGuard {
  /** For clients that have credentials of this run. */
  readonly endpoint: string;
  /** Answers who signs with the credentials of these from now on, and nobody else. */
  replaceIdentities(identities: Identities): void;
  /** Stops listening and breaks the connections that are open. */
  close(): Promise<void>;
}

export interface GuardOptions {
  /** Of the DynamoDB-compatible server that is guarded. */
  readonly endpoint: string;
  readonly identities: Identities;
  /** Whether the server does one thing at a time, so that a write would wait behind scans. */
  readonly isSerial: boolean;
  /** Takes a line for each call that is denied. */
  readonly log: (line: string) => void;
}

// Of BatchWriteItem, the largest request of DynamoDB's API: 16 MB of items, with what JSON adds.
const bodyMaxBytes = 25_000_000;

// Of a server that works serially, two scans at once would not be done sooner, and a write would
// wait for both.
const scansAtOnce = 1;

const host = '127.0.0.1';
const target = /^DynamoDB_20120810\.(\w+)$/;

/**
 * Listens on a free port of this machine, for this run alone: a call is refused unless it was signed
 * with credentials of the run and no browser has sent it. Then it is denied unless the policies of
 * its sender's role allow it. What is left goes to the server that is guarded.
 */
export async function startDynamoDBGuard(options: GuardOptions): Promise<DynamoDBGuard> {
  const guard = new Guard(options);
  const server = createServer((incoming, outgoing) => {
    guard.answer(incoming, outgoing).catch(() => outgoing.destroy());
  });
  // DynamoDB keeps a connection that is idle; a function would find one closed that it was to use.
  server.keepAliveTimeout = 0;
  server.listen(0, host);
  await once(server, 'listening');
  guard.ownHost = `${host}:${(server.address() as AddressInfo).port}`;
  return {
    endpoint: `http://${guard.ownHost}`,
    replaceIdentities: (identities) => guard.replaceIdentities(identities),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      guard.close();
      await closed;
    },
  };
}

/**
 * The `Authorization` header of a call that the run has found to be the operator's: it is signed with
 * something that the guard does not know.
 */
export function authorizationOfOperator({ operator }: Identities): string {
  return `Operator ${operator.credentials.secretAccessKey}`;
}

class Guard {
  /** The only `Host` that is answered. */
  ownHost = '';
  readonly #upstream: Upstream;
  readonly #queue = new ScanQueue(scansAtOnce);
  readonly #isSerial: boolean;
  #identities: ReadonlyMap<string, Identity> = new Map();
  readonly #operatorAuthorization: string;
  readonly #log: GuardOptions['log'];

  constructor({ endpoint, identities, isSerial, log }: GuardOptions) {
    this.#upstream = connectUpstream(endpoint);
    this.#isSerial = isSerial;
    this.#operatorAuthorization = authorizationOfOperator(identities);
    this.#log = log;
    this.replaceIdentities(identities);
  }

  replaceIdentities({ operator, functions }: Identities): void {
    const all = [operator, ...functions.values()];
    this.#identities = new Map(all.map((each) => [each.credentials.accessKeyId, each]));
  }

  async answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { headers } = incoming;
    if (this.#isFromOperator(incoming)) return this.#forwardForOperator(incoming, outgoing);
    const signature = readSignature(headers.authorization);
    const identity = signature && this.#identities.get(signature.accessKeyId);
    if (!identity || !this.#isPlainCall(incoming)) return refuse(incoming, outgoing);
    const body = await readBody(incoming);
    if (!body) return refuse(incoming, outgoing);
    if (!isSignedWith(identity.credentials.secretAccessKey, signature, headers, body))
      return refuse(incoming, outgoing);
    const denial = denialOf(identity, operationOf(incoming), body);
    if (denial) {
      this.#log(`iam: ${denial.logLine}`);
      return sendError(outgoing, 400, 'AccessDeniedException', denial.message);
    }
    await this.#forward({ headers, body }, operationOf(incoming), outgoing);
  }

  async #forwardForOperator(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await readBody(incoming);
    if (!body) return refuse(incoming, outgoing);
    await this.#forward({ headers: incoming.headers, body }, operationOf(incoming), outgoing);
  }

  #isFromOperator(incoming: IncomingMessage): boolean {
    const given = Buffer.from(incoming.headers.authorization ?? '');
    const expected = Buffer.from(this.#operatorAuthorization);
    const isEqual = given.length === expected.length && timingSafeEqual(given, expected);
    return isEqual && this.#isPlainCall(incoming);
  }

  close(): void {
    this.#upstream.close();
  }

  /** As an AWS client sends it, and not as a page in a browser does. */
  #isPlainCall({ method, url, headers }: IncomingMessage): boolean {
    const isFromBrowser = 'origin' in headers || 'sec-fetch-site' in headers;
    return headers.host === this.ownHost && !isFromBrowser && method === 'POST' && url === '/';
  }

  async #forward(call: Call, operation: string, outgoing: ServerResponse): Promise<void> {
    if (this.#isSerial && operation === 'Scan') return this.#forwardScan(call, outgoing);
    const leaving = signalOfClose(outgoing);
    const response = await this.#send(call, outgoing, leaving);
    if (response) await handOn(response, outgoing);
  }

  async #forwardScan({ headers, body }: Call, outgoing: ServerResponse): Promise<void> {
    const plan = planScan(body);
    if ('answer' in plan) return sendJson(outgoing, 200, plan.answer);
    const leave = await this.#queue.enter(signalOfClose(outgoing));
    // Once it answers, the server is done with the scan: the next one need not wait for a client.
    // And it does not stop a scan whose client has gone away: the next one has to wait for that.
    const response = await this.#send({ headers, body: plan.body }, outgoing).finally(leave);
    if (response) await handOn(response, outgoing);
  }

  /** Undefined when there is no answer, of which the client has been told. */
  async #send(
    call: Call,
    outgoing: ServerResponse,
    signal?: AbortSignal,
  ): Promise<IncomingMessage | undefined> {
    try {
      const [response] = await once(this.#upstream.send(call, signal), 'response');
      return response;
    } catch (error) {
      const { code = 'no answer' } = error as NodeJS.ErrnoException;
      const message = `${this.#upstream.shownAddress} does not answer (${code})`;
      sendError(outgoing, 503, 'ServiceUnavailable', message);
      return undefined;
    }
  }
}

function operationOf({ headers }: IncomingMessage): string {
  return target.exec(String(headers['x-amz-target']))?.[1] ?? '';
}

/** Undefined when it is too large. */
async function readBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // The connection stays as it is: it is kept, and its client sends the next call over it.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > bodyMaxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Says nothing about the reason, and nothing that a browser would let a page read. */
function refuse(incoming: IncomingMessage, outgoing: ServerResponse): void {
  incoming.resume();
  const message = 'The security token included in the request is invalid.';
  sendError(outgoing, 403, 'UnrecognizedClientException', message);
}

function sendError(outgoing: ServerResponse, status: number, type: string, message: string): void {
  const body = { __type: `com.amazon.coral.service#${type}`, Message: message };
  sendJson(outgoing, status, JSON.stringify(body));
}

function sendJson(outgoing: ServerResponse, status: number, body: string): void {
  outgoing.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0' }).end(body);
}

/** Aborted when the client goes away. */
function signalOfClose(outgoing: ServerResponse): AbortSignal {
  const leaving = new AbortController();
  outgoing.once('close', () => leaving.abort());
  return leaving.signal;
}

function handOn(response: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.statusCode ?? 502, answerHeaders(response));
  // A failure on either side breaks the other: a part of an answer must not pass for the whole.
  return new Promise((resolve) => pipeline(response, outgoing, () => resolve()));
}
