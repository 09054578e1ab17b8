import { EventEmitter, once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type OrderItem, scanAnswer } from './orders.ts';

export interface ScanInput {
  TableName: string;
  ProjectionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExclusiveStartKey?: { id: { N: string } };
  Segment?: number;
  TotalSegments?: number;
}

export interface ScannedTableSettings {
  items: OrderItem[];
  ordersPerPage?: number;
  /** Bytes that are sent at a time. @default all at once */
  chunkBytes?: number;
  /** What every page is answered with. @default the page's orders */
  body?: string;
}

/** What happens to one request: an answer as a rule. */
export type Fate = 'answer' | 'break off' | 'refuse' | 'throttle' | 'never answer';

/**
 * DynamoDB over HTTP with one table to scan. As there, the segments of a parallel scan share the
 * orders out among them, in an order of their own.
 */
export class ScannedTable extends EventEmitter {
  readonly requests: ScanInput[] = [];
  /** Requests that have neither been answered nor given up by the client. */
  underWay = 0;
  /** By the number of the request, from 1. */
  readonly fates = new Map<number, Fate>();
  endpoint = '';
  private readonly settings: ScannedTableSettings;
  private readonly server = createServer(async (request, response) => {
    this.requests.push((await json(request)) as ScanInput);
    const number = this.requests.length;
    this.underWay++;
    response.on('close', () => {
      this.underWay--;
      this.emit('closed');
    });
    this.emit('request', number);
    this.answer(this.requests[number - 1]!, this.fates.get(number) ?? 'answer', response);
  });

  constructor(settings: ScannedTableSettings) {
    super();
    this.settings = settings;
  }

  async start(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.endpoint = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
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

  private answer(input: ScanInput, fate: Fate, response: ServerResponse): void {
    if (fate === 'refuse') fail(response, 'ValidationException');
    else if (fate === 'throttle') fail(response, 'ProvisionedThroughputExceededException');
    else if (fate !== 'never answer') this.send(Buffer.from(this.page(input)), fate, response);
  }

  private send(body: Buffer, fate: Fate, response: ServerResponse): void {
    const { chunkBytes = body.length } = this.settings;
    response.writeHead(200, {
      'content-type': 'application/x-amz-json-1.0',
      'content-length': body.length,
    });
    const end = fate === 'answer' ? body.length : Math.floor(body.length / 2);
    for (let start = 0; start < end; start += chunkBytes) {
      response.write(body.subarray(start, Math.min(start + chunkBytes, end)));
    }
    if (fate === 'answer') response.end();
    else setImmediate(() => response.destroy());
  }

  private page({ Segment = 0, TotalSegments = 1, ExclusiveStartKey }: ScanInput): string {
    const { items, ordersPerPage = 1_000, body } = this.settings;
    if (body !== undefined) return body;
    const segment = items.filter((_, index) => index % TotalSegments === Segment);
    const startKey = ExclusiveStartKey?.id.N;
    const start =
      startKey === undefined ? 0 : segment.findIndex(({ id }) => id?.N === startKey) + 1;
    const page = segment.slice(start, start + ordersPerPage);
    const isLast = start + page.length === segment.length;
    return scanAnswer(page, isLast ? undefined : page.at(-1)!.id!.N);
  }
}

function fail(response: ServerResponse, type: string): void {
  response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
  response.end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}` }));
}
