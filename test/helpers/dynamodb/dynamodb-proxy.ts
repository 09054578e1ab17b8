import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type LoopbackServer, listen, serve } from '../loopback-server.ts';

/** A request to DynamoDB. */
export interface DynamodbRequest {
  /** The name of the operation, such as `Scan`. */
  readonly operation: string;
  readonly input: Record<string, unknown>;
}

export interface DynamodbCall extends DynamodbRequest {
  readonly incoming: IncomingMessage;
  readonly body: string;
  readonly outgoing: ServerResponse;
  /** Lets the server behind the proxy execute the request. Returns its response. */
  readonly execute: () => Promise<Executed>;
}

/** A response that has not been sent yet. */
interface Executed {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

/** How a request is handled. */
export type Reply = (call: DynamodbCall) => unknown;

export const contentType = { 'content-type': 'application/x-amz-json-1.0' };

/** Breaks the connection. */
export const lost: Reply = ({ outgoing }) => outgoing.destroy();
/** Never answers. */
export const unanswered: Reply = () => {};

/** A success whose body does not parse. */
export const unreadable: Reply = ({ outgoing }) =>
  outgoing.writeHead(200, contentType).end('{"Count":1,"Items":[');

/** An error whose body ends before the error's name. */
export const nameless: Reply = ({ outgoing }) =>
  outgoing.writeHead(400, contentType).end('{"__type":"com.amazonaws.dyn');

export function answer(body: object, status = 200): Reply {
  const text = JSON.stringify(body);
  const headers = { ...contentType, 'content-length': Buffer.byteLength(text) };
  return ({ outgoing }) => outgoing.writeHead(status, headers).end(text);
}

/** An error response of DynamoDB. */
export function failure(type: string, rest: object = {}): Reply {
  const __type = `com.amazonaws.dynamodb.v20120810#${type}`;
  return answer({ __type, message: type, ...rest }, 400);
}

export const throttled = failure('ProvisionedThroughputExceededException');
export const refused = failure('ValidationException');
export const disowned = failure('ResourceNotFoundException');

/** Lets the request be executed, and sends the response. */
export const forward: Reply = async ({ execute, outgoing }) => {
  const { status, headers, body } = await execute();
  outgoing.writeHead(status, headers).end(body);
};

/** Lets the request be executed, and loses its response. */
export const executedAndLost: Reply = async (call) => {
  await call.execute();
  lost(call);
};

/**
 * A proxy in front of DynamoDB. A test decides how the proxy handles a request: it forwards the request to another
 * server, answers it, or lets it fail. The proxy first asks `next`, then `faults`, then `reply`.
 */
export class DynamodbProxy {
  /** The requests so far, in their order. Each request is one round trip. */
  readonly requests: DynamodbRequest[] = [];
  /**
   * The replies to the next requests, in their order. They take precedence over `faults` and `reply`. An undefined
   * entry leaves its request to these two.
   */
  readonly next: (Reply | undefined)[] = [];
  /**
   * The replies to requests whose body contains a table's name. The name '' matches every request. The first fault
   * that matches applies.
   */
  readonly faults = new Map<string, Reply>();
  /** The reply to every request for which neither `next` nor `faults` has a reply. */
  reply: Reply;
  /** The number of requests that were neither answered nor aborted by the client. */
  #underWay = 0;
  readonly #target: string | undefined;
  #server: LoopbackServer | undefined;

  /** A proxy that forwards every request until a test sets faults. */
  static before(target: string): Promise<DynamodbProxy> {
    return DynamodbProxy.start(forward, { target });
  }

  /** @param options the server that executes requests, if there is one; a certificate for HTTPS */
  static async start(
    reply: Reply,
    options: { target?: string; certificate?: { key: string; cert: string } } = {},
  ): Promise<DynamodbProxy> {
    const { target, certificate } = options;
    const proxy = new DynamodbProxy(reply, target);
    const handle = (incoming: IncomingMessage, outgoing: ServerResponse) =>
      proxy.#handle(incoming, outgoing);
    proxy.#server = certificate
      ? await listen(createSecureServer(certificate, handle), 'https')
      : await serve(handle);
    return proxy;
  }

  private constructor(reply: Reply, target: string | undefined) {
    this.reply = reply;
    this.#target = target;
  }

  get url(): string {
    return this.#server!.url;
  }

  /**
   * Resolves when the client, which runs in this process, sends no more requests. A request arrives
   * within a few turns of the event loop, however busy the machine is.
   */
  async isAtRest(): Promise<void> {
    for (let turns = 0, asked = 0; turns < 100; turns++) {
      if (this.#underWay > 0 || this.requests.length > asked) turns = 0;
      asked = this.requests.length;
      await nextTurn();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server![Symbol.asyncDispose]();
  }

  async #handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await text(incoming);
    const operation = String(incoming.headers['x-amz-target'] ?? '').split('.')[1] ?? '';
    const input = operation ? JSON.parse(body) : {};
    this.requests.push({ operation, input });
    const [, fault] = [...this.faults].find(([tableName]) => body.includes(tableName)) ?? [];
    const reply = this.next.shift() ?? fault ?? this.reply;
    this.#underWay++;
    outgoing.on('close', () => this.#underWay--);
    const execute = () => this.#execute(incoming, body);
    reply({ operation, input, incoming, body, outgoing, execute });
  }

  async #execute(incoming: IncomingMessage, body: string): Promise<Executed> {
    const method = incoming.method!;
    const headers = incoming.headers as Record<string, string>;
    const url = new URL(incoming.url!, this.#target);
    const response = await fetch(url, { method, headers, ...(body && { body }) });
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: Buffer.from(await response.arrayBuffer()),
    };
  }
}
