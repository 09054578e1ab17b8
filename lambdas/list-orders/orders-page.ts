import {
  type AttributeValue,
  type DynamoDBClient,
  ScanCommand,
  type ScanCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { ServiceUnavailableError } from '../shared/errors.ts';
import { orderFieldNames } from '../shared/order-fields.ts';
import { BufferPool } from './buffer-pool.ts';
import { interceptBody } from './intercept-body.ts';
import { orderToJson } from './order-json.ts';
import { type KeepOrder, PageTranscoder } from './page-transcoder.ts';

export type StartKey = Record<string, AttributeValue>;

/** The orders of one `Scan` response as JSON text. */
export interface OrdersPage {
  /** The orders, each written as `,{…}`, without separators. No buffer is empty. */
  buffers: Buffer[];
  /** Returns a buffer to the pool. Its content must not be used afterwards. */
  release(buffer: Buffer): void;
  count: number;
  /** How many orders were left out because of `PageRequest.except`. */
  exceptedCount: number;
  /** The ids of the orders; absent unless requested with `PageRequest.withIds`. */
  ids: ReadonlySet<string> | undefined;
  /** The start key of the next page; absent on the last page. */
  lastEvaluatedKey: StartKey | undefined;
}

export interface PageRequest {
  startKey?: StartKey | undefined;
  segment?: { index: number; total: number };
  withIds?: boolean;
  /** The ids of orders to leave out. */
  except?: ReadonlySet<string> | undefined;
  /** Aborts the request when the page is no longer needed. */
  signal: AbortSignal;
}

export type ReadPage = (request: PageRequest) => Promise<OrdersPage>;

/** The names are replaced by placeholders, because a field's name may be reserved by DynamoDB. */
const projection = {
  ProjectionExpression: orderFieldNames.map((_, index) => `#${index}`).join(', '),
  ExpressionAttributeNames: Object.fromEntries(
    orderFieldNames.map((name, index) => [`#${index}`, name]),
  ),
};

/**
 * Returns a function that reads a page of a table's orders with one `Scan` request.
 *
 * The function throws `ServiceUnavailableError` if the number of orders in the response is not the
 * `Count` that the response states.
 */
export function pageReader(client: Pick<DynamoDBClient, 'send'>, tableName: string): ReadPage {
  const pool = new BufferPool();
  return async (request) => {
    const command = new ScanCommand({
      TableName: tableName,
      ...projection,
      ExclusiveStartKey: request.startKey,
      Segment: request.segment?.index,
      TotalSegments: request.segment?.total,
    });
    let page = new PageBuilder(pool, request);
    interceptBody(command, () => {
      page = new PageBuilder(pool, request);
      return page.transcoder;
    });
    const output = await client.send(command, { abortSignal: request.signal });
    return page.build(output);
  };
}

/** Builds a page from one response. Each attempt of the SDK at a request needs a new builder. */
class PageBuilder {
  readonly transcoder: PageTranscoder;
  private readonly pool: BufferPool;
  private readonly ids: Set<string> | undefined;
  private readonly except: PageRequest['except'];
  private exceptedCount = 0;

  constructor(pool: BufferPool, { withIds, except }: PageRequest) {
    this.pool = pool;
    this.ids = withIds ? new Set() : undefined;
    this.except = except;
    const isSelective = withIds || except;
    this.transcoder = new PageTranscoder(pool, isSelective ? this.keep : undefined);
  }

  /** Completes the page with the orders that the transcoder left to the SDK, usually none. */
  build(output: ScanCommandOutput): OrdersPage {
    const { buffers, count, itemCount } = this.transcoder;
    const { Items: items = [], LastEvaluatedKey: lastEvaluatedKey } = output;
    requireWhole(output, itemCount + items.length);
    const kept = items.filter(({ id }) => this.keep(id?.N ?? ''));
    const rest = kept.length === 0 ? [] : [Buffer.from(`,${kept.map(orderToJson).join(',')}`)];
    return {
      buffers: [...buffers, ...rest],
      release: (buffer) => this.pool.release(buffer),
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
 * A truncated or empty response can still be valid JSON with status 200, and the SDK does not
 * complain about missing members. Without this check such a response would make the list incomplete
 * without anyone noticing.
 */
function requireWhole({ Count: stated }: ScanCommandOutput, found: number): void {
  if (stated === found) return;
  const cause = new Error(`A page of orders has ${found}, and states ${stated ?? 'no number'}.`);
  throw new ServiceUnavailableError({ cause });
}
