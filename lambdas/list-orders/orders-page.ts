import {
  type AttributeValue,
  type DynamoDBClient,
  ScanCommand,
  type ScanCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { ServiceUnavailableError } from '../shared/errors.ts';
import { orderFieldNames } from '../shared/order-fields.ts';
import { orderToJson } from './order-json.ts';
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
  ids: ReadonlySet<string> | undefined;
  /** Where the next page begins; absent on the last. */
  lastEvaluatedKey: StartKey | undefined;
}

export interface PageRequest {
  startKey?: StartKey | undefined;
  segment?: { index: number; total: number };
  withIds?: boolean;
  /** Leaves out the orders with these ids. */
  except?: ReadonlySet<string> | undefined;
  /** Ends the request when nobody waits for the page any more. */
  signal: AbortSignal;
}

export type ReadPage = (request: PageRequest) => Promise<OrdersPage>;

/** Asked for by number, because DynamoDB reserves some hundred words that a field may be called. */
const projection = {
  ProjectionExpression: orderFieldNames.map((_, index) => `#${index}`).join(', '),
  ExpressionAttributeNames: Object.fromEntries(
    orderFieldNames.map((name, index) => [`#${index}`, name]),
  ),
};

/**
 * Reads pages of a table's orders, each with one `Scan`. A page whose answer has another number of
 * orders than it says, or does not say how many, is a `ServiceUnavailableError`.
 */
export function pageReader(client: Pick<DynamoDBClient, 'send'>, tableName: string): ReadPage {
  const pool = new PiecePool();
  return async (request) => {
    const command = new ScanCommand({
      TableName: tableName,
      ...projection,
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
  private readonly ids: Set<string> | undefined;
  private readonly except: PageRequest['except'];
  private exceptedCount = 0;

  constructor(pool: PiecePool, { withIds, except }: PageRequest) {
    this.pool = pool;
    this.ids = withIds ? new Set() : undefined;
    this.except = except;
    const isSelective = withIds || except;
    this.transcoder = new PageTranscoder(pool, isSelective ? this.keep : undefined);
  }

  /** Adds the orders that the transcoder left to the SDK: as a rule, none. */
  build(output: ScanCommandOutput): OrdersPage {
    const { pieces, count, itemCount } = this.transcoder;
    const { Items: items = [], LastEvaluatedKey: lastEvaluatedKey } = output;
    requireWhole(output, itemCount + items.length);
    const kept = items.filter(({ id }) => this.keep(id?.N ?? ''));
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

  private readonly keep: KeepOrder = (id) => {
    this.ids?.add(id);
    if (!this.except?.has(id)) return true;
    this.exceptedCount++;
    return false;
  };
}

/**
 * An answer can be cut short, or be empty, and still have the status of a success and be JSON; the
 * SDK takes what is not in it for absent. Then the list would be a shorter one, and look whole.
 */
function requireWhole({ Count: stated }: ScanCommandOutput, found: number): void {
  if (stated === found) return;
  const cause = new Error(`A page of orders has ${found}, and states ${stated ?? 'no number'}.`);
  throw new ServiceUnavailableError({ cause });
}
