import { IncomingMessage } from 'node:http';
import {
  type AttributeValue,
  type DynamoDBClient,
  ScanCommand,
  type ScanCommandOutput,
} from '@aws-sdk/client-dynamodb';
import type { Item } from '../shared/dynamodb.ts';
import { ServiceUnavailableError } from '../shared/errors.ts';
import {
  attributeTypes,
  isInt64,
  type OrderField,
  orderFieldNames,
  orderFields,
} from '../shared/order-fields.ts';
import { BufferPool, type KeepOrder, PageTranscoder } from './page-transcoder.ts';

/** The orders of one `Scan` response as JSON text. */
export interface OrdersPage {
  /** The orders, each written as `,{…}`, without separators. No buffer is empty. */
  buffers: Buffer[];
  /** Returns a buffer to the pool. Its content must not be used afterwards. */
  release(buffer: Buffer): void;
  count: number;
  /** How many orders were left out because of `PageRequest.except`. */
  exceptedCount: number;
  /** The start key of the next page; absent on the last page. */
  lastEvaluatedKey: Item | undefined;
}

export interface PageRequest {
  startKey?: Item | undefined;
  segment?: { index: number; total: number };
  /** Is filled with the ids of the orders. */
  ids?: Set<string>;
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
    const { ids, except } = request;
    const keep: KeepOrder = (id) => {
      ids?.add(id);
      return !except?.has(id);
    };
    const startPage = () => new PageTranscoder(pool, ids || except ? keep : undefined);
    let transcoder = startPage();
    // Called for each response; what was read of the one before it is void.
    interceptBody(command, () => {
      ids?.clear();
      transcoder = startPage();
      return transcoder;
    });
    const output = await client.send(command, { abortSignal: request.signal });
    return finishPage(pool, transcoder, output, keep);
  };
}

/** Completes a page with the orders that the transcoder left to the SDK, usually none. */
function finishPage(
  pool: BufferPool,
  { buffers, count: copied, itemCount }: PageTranscoder,
  output: ScanCommandOutput,
  keep: KeepOrder,
): OrdersPage {
  const { Items: items = [], LastEvaluatedKey: lastEvaluatedKey } = output;
  const found = itemCount + items.length;
  requireWhole(output, found);
  const kept = items.filter(({ id }) => keep(id?.N ?? ''));
  const count = copied + kept.length;
  const rest = Buffer.from(kept.map((item) => `,${orderToJson(item)}`).join(''));
  return {
    buffers: rest.length > 0 ? [...buffers, rest] : buffers,
    release: (buffer) => pool.release(buffer),
    count,
    exceptedCount: found - count,
    lastEvaluatedKey,
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

const jsonInteger = /^-?(?:0|[1-9][0-9]*)(?:[eE]\+?[0-9]+)?$/;

/**
 * The JSON text of an order, from an item whose attributes may have any type: the slow path for what
 * `OrderCopier` does not understand. Another program may have written the item, and what it wrote
 * cannot break the contract: an attribute that is not of its field's type is left out, like one that
 * is missing. Numbers keep DynamoDB's digits, because a JavaScript number loses those of an int64
 * beyond 2^53.
 *
 * @param fields those of an order, any of which the item can lack
 * @throws TypeError for an id that is no int64: without its id the order could not be in the list, and
 *   a list without it would not be whole
 */
export function orderToJson(
  item: Item,
  fields: Readonly<Record<string, OrderField>> = orderFields,
): string {
  const members: string[] = [];
  for (const [name, field] of Object.entries(fields)) {
    const value = item[name] && valueToJson(item[name], field);
    if (value !== undefined) members.push(`"${name}":${value}`);
    else if (name === 'id' && item.id !== undefined) {
      throw new TypeError(`An item has an id that is no int64: ${JSON.stringify(item.id)}`);
    }
  }
  return `{${members.join(',')}}`;
}

/** Undefined for a value that is not of the field's type. */
function valueToJson(attribute: AttributeValue, { type, format }: OrderField): string | undefined {
  const value = attribute[attributeTypes[type]];
  if (type !== 'integer') return JSON.stringify(value);
  const digits = String(value);
  const isAccepted = format === 'int64' ? isInt64(digits) : jsonInteger.test(digits);
  return isAccepted ? digits : undefined;
}
