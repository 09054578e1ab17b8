import {
  type AttributeValue,
  type DynamoDBClient,
  ScanCommand,
  type ScanCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { IdSet } from './id-set.ts';
import { type OrderItem, orderFields, orderToJson } from './order-json.ts';
import { type KeepOrder, PageTranscoder } from './page-transcoder.ts';
import { PiecePool } from './piece-pool.ts';
import { takeBody } from './take-body.ts';

export type StartKey = Record<string, AttributeValue>;

/** Some of the orders, in the form in which they are sent. */
export interface OrdersPage {
  /** Each order as `,{…}`, one after the other. No piece is empty. */
  pieces: Buffer[];
  /** Lets the memory of a piece be used for another, when nobody will look at it any more. */
  release(piece: Buffer): void;
  count: number;
  /** How many orders were left out because the request excepted them. */
  exceptedCount: number;
  /** The ids of the orders, where the request asked for them. */
  ids: IdSet | undefined;
  /** Where the next page begins; absent on the last. */
  lastEvaluatedKey: StartKey | undefined;
}

export interface PageRequest {
  startKey?: StartKey | undefined;
  segment?: { index: number; total: number };
  withIds?: boolean;
  /** Leaves out the orders with these ids. */
  except?: Pick<IdSet, 'has'>;
  /** Ends the request when nobody waits for the page any more. */
  signal: AbortSignal;
}

export type ReadPage = (request: PageRequest) => Promise<OrdersPage>;

/** Reads pages of a table's orders, each with one `Scan`. */
export function pageReader(client: Pick<DynamoDBClient, 'send'>, tableName: string): ReadPage {
  const pool = new PiecePool();
  return async (request) => {
    const command = new ScanCommand({
      TableName: tableName,
      ProjectionExpression: orderFields.join(', '),
      ExclusiveStartKey: request.startKey,
      Segment: request.segment?.index,
      TotalSegments: request.segment?.total,
    });
    let page = new PageBuilder(pool, request);
    takeBody(command, () => {
      page = new PageBuilder(pool, request);
      return page.transcoder;
    });
    const output = await client.send(command, { abortSignal: request.signal });
    return page.build(output);
  };
}

/** Makes a page of one answer. A request can have several: one that breaks off is void. */
class PageBuilder {
  readonly transcoder: PageTranscoder;
  private readonly pool: PiecePool;
  private readonly ids: IdSet | undefined;
  private readonly except: PageRequest['except'];
  private exceptedCount = 0;

  constructor(pool: PiecePool, { withIds, except }: PageRequest) {
    this.pool = pool;
    this.ids = withIds ? new IdSet() : undefined;
    this.except = except;
    const isSelective = withIds || except;
    this.transcoder = new PageTranscoder(pool, isSelective ? this.keep : undefined);
  }

  /** Adds the orders that the transcoder left to the SDK: as a rule, none. */
  build({ Items: items = [], LastEvaluatedKey: lastEvaluatedKey }: ScanCommandOutput): OrdersPage {
    const { pieces, count } = this.transcoder;
    const kept = items.filter((item) => this.keepItem(item));
    const rest = kept.length === 0 ? [] : [Buffer.from(`,${kept.map(orderToJson).join(',')}`)];
    return {
      pieces: [...pieces, ...rest],
      release: (piece) => this.pool.giveBack(piece),
      count: count + kept.length,
      exceptedCount: this.exceptedCount,
      ids: this.ids,
      lastEvaluatedKey,
    };
  }

  private keepItem(item: OrderItem): boolean {
    const id = Buffer.from(item.id?.N ?? '');
    return this.keep(id, 0, id.length);
  }

  private readonly keep: KeepOrder = (bytes, start, end) => {
    this.ids?.add(bytes, start, end);
    if (!this.except?.has(bytes, start, end)) return true;
    this.exceptedCount++;
    return false;
  };
}
