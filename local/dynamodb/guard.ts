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

/** A proxy before DynamoDB that authenticates and authorizes all calls to the tables of a run. */
export interface DynamoDBGuard {
  /** The endpoint for clients with credentials of this run. */
  readonly endpoint: string;
  /** Accepts only calls that are signed with the credentials of these identities from now on. */
  replaceIdentities(identities: Identities): void;
  /** Stops listening and closes all open connections. */
  close(): Promise<void>;
}

export interface GuardOptions {
  /** The endpoint of the DynamoDB-compatible server. */
  readonly endpoint: string;
  readonly identities: Identities;
  /** Whether the server executes one call at a time, so that writes wait for scans. */
  readonly isSerial: boolean;
  /** Takes a line for each call that is denied. */
  readonly log: (line: string) => void;
}

// The largest request of DynamoDB's API is a BatchWriteItem with 16 MB of items; JSON adds to that.
const bodyMaxBytes = 25_000_000;

// On a server that executes one call at a time, concurrent scans are no faster, and a write would
// wait for all of them.
const maxConcurrentScans = 1;

const host = '127.0.0.1';
const target = /^DynamoDB_20120810\.(\w+)$/;

/**
 * Starts the guard on a free loopback port. It refuses calls that come from a browser or are not
 * signed with credentials of this run, denies calls that the policies of the sender's role do not
 * allow, and forwards all others to the server.
 */
export async function startDynamoDBGuard(options: GuardOptions): Promise<DynamoDBGuard> {
  const server = createServer();
  // The value 0 disables the timeout of idle connections. Otherwise, a function could send a call on
  // a connection that is being closed.
  server.keepAliveTimeout = 0;
  server.listen(0, host);
  await once(server, 'listening');
  const ownHost = `${host}:${(server.address() as AddressInfo).port}`;
  const guard = new Guard(options, ownHost);
  server.on('request', (incoming, outgoing) => {
    guard.answer(incoming, outgoing).catch(() => outgoing.destroy());
  });
  return {
    endpoint: `http://${ownHost}`,
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
 * The `Authorization` header that the main thread puts on the operator's calls. It replaces their
 * signature, which is made with the operator's own AWS credentials that the guard does not know.
 */
export function authorizationOfOperator({ operator }: Identities): string {
  return `Operator ${operator.credentials.secretAccessKey}`;
}

class Guard {
  /** The only `Host` header that is accepted. */
  readonly #ownHost: string;
  readonly #upstream: Upstream;
  readonly #queue = new ScanQueue(maxConcurrentScans);
  readonly #isSerial: boolean;
  #identities: ReadonlyMap<string, Identity> = new Map();
  readonly #operatorAuthorization: string;
  readonly #log: GuardOptions['log'];

  constructor({ endpoint, identities, isSerial, log }: GuardOptions, ownHost: string) {
    this.#ownHost = ownHost;
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

  /** Whether a call has the form of an AWS client's, and does not come from a page in a browser. */
  #isPlainCall({ method, url, headers }: IncomingMessage): boolean {
    const isFromBrowser = 'origin' in headers || 'sec-fetch-site' in headers;
    return headers.host === this.#ownHost && !isFromBrowser && method === 'POST' && url === '/';
  }

  async #forward(call: Call, operation: string, outgoing: ServerResponse): Promise<void> {
    if (this.#isSerial && operation === 'Scan') return this.#forwardScan(call, outgoing);
    const disconnected = signalOfClose(outgoing);
    const response = await this.#send(call, outgoing, disconnected);
    if (response) forwardResponse(response, outgoing);
  }

  async #forwardScan({ headers, body }: Call, outgoing: ServerResponse): Promise<void> {
    const plan = planScan(body);
    if ('answer' in plan) return sendJson(outgoing, 200, plan.answer);
    const release = await this.#queue.enter(signalOfClose(outgoing));
    // The server has finished a scan when it starts to answer, so the next scan need not wait until
    // the client has read the answer. A scan under way is not aborted when its client disconnects,
    // because the server would continue with it and the next scan would run at the same time.
    const response = await this.#send({ headers, body: plan.body }, outgoing).finally(release);
    if (response) forwardResponse(response, outgoing);
  }

  /** Sends a call to the server. When there is no response, answers 503 and returns undefined. */
  async #send(
    call: Call,
    outgoing: ServerResponse,
    signal?: AbortSignal,
  ): Promise<IncomingMessage | undefined> {
    try {
      const [response] = await once(this.#upstream.send(call, signal), 'response');
      return response;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const message = `${this.#upstream.shownAddress} does not answer (${code})`;
      sendError(outgoing, 503, 'ServiceUnavailable', message);
      return undefined;
    }
  }
}

function operationOf({ headers }: IncomingMessage): string {
  return target.exec(String(headers['x-amz-target']))?.[1] ?? '';
}

/** Reads a whole body; undefined when it is too large. */
async function readBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // The iterator must not destroy the connection, because its client sends the next call over it.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > bodyMaxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Refuses a call without a reason, and without the headers that would let a web page read it. */
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

/** A signal that is aborted when the client disconnects. */
function signalOfClose(outgoing: ServerResponse): AbortSignal {
  const disconnected = new AbortController();
  outgoing.once('close', () => disconnected.abort());
  return disconnected.signal;
}

function forwardResponse(response: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.writeHead(response.statusCode ?? 502, answerHeaders(response));
  // An error on either side destroys the other, so that an incomplete answer is recognisable.
  pipeline(response, outgoing, () => {});
}
