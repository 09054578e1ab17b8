import { IncomingMessage } from 'node:http';
import {
  type AttributeValue,
  type DynamoDBClient,
  ScanCommand,
  type ScanCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { ServiceUnavailableError } from '../shared/errors.ts';
import {
  attributeTypes,
  isInt64,
  type OrderField,
  orderFieldNames,
  orderFields,
} from '../shared/order-fields.ts';
import { BufferPool, type KeepOrder, PageTranscoder } from './page-transcoder.ts';

export type StartKey = Record<string, AttributeValue>;
export type OrderItem = Record<string, AttributeValue>;

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
    // Called for each response; what was read of the one before it is void.
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
    const rest =
      kept.length === 0 ? [] : [Buffer.from(`,${kept.map((item) => orderToJson(item)).join(',')}`)];
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

type Handler = (parameters: unknown) => Promise<{ response: Response }>;

interface Response {
  statusCode: number;
  body: unknown;
}

/**
 * Passes the body of every successful response to a transcoder, and what this leaves of it to the
 * SDK's deserializer. The middleware is inside the SDK's retry loop, so the SDK still does signing,
 * timeouts, retries and errors, and repeats a request whose response ends prematurely. Like the SDK
 * for JavaScript, it does not verify DynamoDB's `x-amz-crc32`; TLS protects the body's integrity.
 */
function interceptBody(command: ScanCommand, createTranscoder: () => PageTranscoder): void {
  const middleware = (next: Handler) => async (parameters: unknown) => {
    const result = await next(parameters);
    const { response } = result;
    if (response.statusCode === 200 && response.body instanceof IncomingMessage) {
      response.body = await readAll(response.body, createTranscoder());
    }
    return result;
  };
  // The types of a middleware are in a package that is no direct dependency of this project.
  command.middlewareStack.addRelativeTo(middleware as never, {
    relation: 'after',
    toMiddleware: 'deserializerMiddleware',
  });
}

function readAll(body: IncomingMessage, transcoder: PageTranscoder): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    body.on('data', (chunk: Buffer) => {
      transcoder.push(chunk);
      freeMemory(chunk);
    });
    body.on('end', () => resolve(transcoder.finish()));
    body.on('error', reject);
  });
}

/**
 * Frees a chunk's memory at once. It is outside of JavaScript's heap, whose size is what triggers
 * garbage collection, so unused chunks would add up to dozens of megabytes. Nothing else refers to
 * the memory: Node's HTTP parser allocates it for this chunk.
 */
function freeMemory({ buffer, byteLength }: Buffer): void {
  if (buffer.byteLength === byteLength) (buffer as ArrayBuffer).transfer(0);
}

const jsonNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const jsonInteger = /^-?(?:0|[1-9][0-9]*)(?:[eE]\+?[0-9]+)?$/;

/**
 * The JSON text of an order, from an item whose attributes may have any type: the slow path for what
 * `OrderCopier` does not understand. Another program may have written the item, and what it wrote
 * cannot break the contract: an attribute that is not of its field's type is left out, like one that
 * is missing. Numbers keep DynamoDB's digits, because a JavaScript number loses those of an int64
 * beyond 2^53.
 *
 * @param fields those of an order, any of which the item can lack
 * @throws TypeError for a number that is not one in JSON, and for an id that is no int64: without its
 *   id the order could not be in the list, and a list without it would not be whole
 */
export function orderToJson(
  item: OrderItem,
  fields: Readonly<Record<string, OrderField>> = orderFields,
): string {
  if (item.id !== undefined && valueToJson(item.id, orderFields.id) === undefined) {
    throw new TypeError(`An item has an id that is no int64: ${JSON.stringify(item.id)}`);
  }
  const members: string[] = [];
  for (const [name, field] of Object.entries(fields)) {
    const value = item[name] && valueToJson(item[name], field);
    if (value !== undefined) members.push(`"${name}":${value}`);
  }
  return `{${members.join(',')}}`;
}

/** Undefined for a value that is not of the field's type. */
function valueToJson(attribute: AttributeValue, field: OrderField): string | undefined {
  const value = attribute[attributeTypes[field.type]];
  if (value === undefined) return undefined;
  return field.type === 'integer' ? integerToJson(String(value), field) : JSON.stringify(value);
}

/** DynamoDB's numbers are valid JSON numbers; those of another server might not be. */
function integerToJson(digits: string, { format }: OrderField): string | undefined {
  if (!jsonNumber.test(digits)) throw new TypeError('An attribute is not a number.');
  const isAccepted = format === 'int64' ? isInt64(digits) : jsonInteger.test(digits);
  return isAccepted ? digits : undefined;
}
