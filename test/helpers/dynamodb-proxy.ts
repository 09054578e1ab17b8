import { EventEmitter, once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type LoopbackServer, listen, serve } from './loopback-server.ts';

/** A request to DynamoDB, what it asks for. */
export interface DynamodbRequest {
  /** Such as `Scan`. */
  readonly operation: string;
  readonly input: Record<string, unknown>;
}

export interface DynamodbCall extends DynamodbRequest {
  readonly incoming: IncomingMessage;
  readonly body: Buffer;
  readonly outgoing: ServerResponse;
}

/** What becomes of a request. */
export type Reply = (call: DynamodbCall) => unknown;

/** The connection breaks. */
export const lost: Reply = ({ outgoing }) => outgoing.destroy();
/** The client waits for ever. */
export const unanswered: Reply = () => {};

/** @param headers beside the ones that every answer has */
export function answer(body: object, status = 200, headers: Record<string, string> = {}): Reply {
  return ({ outgoing }) => {
    outgoing.writeHead(status, { ...contentType, ...headers }).end(JSON.stringify(body));
  };
}

/** DynamoDB's answer to a request that failed. */
export function failure(type: string, rest: object = {}): Reply {
  const __type = `com.amazonaws.dynamodb.v20120810#${type}`;
  return answer({ __type, message: type, ...rest }, 400);
}

export const throttled = failure('ProvisionedThroughputExceededException');
export const refused = failure('ValidationException');
export const disowned = failure('ResourceNotFoundException');

/** Hands requests on to another server, and its answers back. */
export function forwardTo(target: string): Reply {
  return ({ incoming, body, outgoing }) => {
    const { method, url, headers } = incoming;
    const forwarded = request(new URL(url ?? '/', target), { method, headers });
    forwarded.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    forwarded.end(body);
  };
}

export const contentType = { 'content-type': 'application/x-amz-json-1.0' };

/**
 * An address where functions find DynamoDB, and where a test decides what becomes of each request:
 * another server gets it, or it is answered here, or it fails.
 */
export class DynamodbProxy extends EventEmitter<{ request: []; closed: [] }> {
  /** What came in, in order: each is one round trip. */
  readonly requests: DynamodbRequest[] = [];
  /** To single requests, by their number from 1. */
  readonly replies = new Map<number, Reply>();
  /** To requests that name a table; '' is in every request. */
  readonly faults = new Map<string, Reply>();
  /** To all others. */
  reply: Reply;
  /** Requests that have neither been answered nor given up by the client. */
  underWay = 0;
  #server: LoopbackServer | undefined;

  /** One that hands all on to another server, until it is told of faults. */
  static before(target: string): Promise<DynamodbProxy> {
    return DynamodbProxy.start(forwardTo(target));
  }

  /** @param certificate for HTTPS. @default - HTTP */
  static async start(reply: Reply, certificate?: { key: string; cert: string }) {
    const proxy = new DynamodbProxy(reply);
    const handle = (incoming: IncomingMessage, outgoing: ServerResponse) =>
      proxy.#handle(incoming, outgoing);
    proxy.#server = certificate
      ? await listen(createSecureServer(certificate, handle), 'https')
      : await serve(handle);
    return proxy;
  }

  private constructor(reply: Reply) {
    super();
    this.reply = reply;
  }

  get url(): string {
    return this.#server!.url;
  }

  /** Resolves when no request is under way any more. */
  async isIdle(): Promise<void> {
    while (this.underWay > 0) await once(this, 'closed');
  }

  /**
   * Resolves when its client, which runs in this process, asks for nothing more. A request that is
   * sent arrives within a few turns of the event loop, however busy the machine is.
   */
  async isAtRest(): Promise<void> {
    let asked: number;
    do {
      asked = this.requests.length;
      await this.isIdle();
      for (let turn = 0; turn < 100; turn++) await nextTurn();
    } while (this.underWay > 0 || this.requests.length > asked);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server![Symbol.asyncDispose]();
  }

  async #handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const operation = String(incoming.headers['x-amz-target']).split('.')[1] ?? '';
    const input = body.length === 0 ? {} : JSON.parse(body.toString());
    this.requests.push({ operation, input });
    const [, fault] = [...this.faults].find(([tableName]) => body.includes(tableName)) ?? [];
    const reply = this.replies.get(this.requests.length) ?? fault ?? this.reply;
    this.underWay++;
    outgoing.on('close', () => {
      this.underWay--;
      this.emit('closed');
    });
    this.emit('request');
    reply({ operation, input, incoming, body, outgoing });
  }
}
