import type { IncomingMessage } from 'node:http';
import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { ApiError } from '../contract/errors.ts';
import type { Item } from '../contract/item.ts';
import { attributeTypes, isValueOf, orderFieldNames, orderFields } from './order-fields.ts';

/** The orders of one `Scan` response as JSON text. */
export interface OrdersPage {
  /** The orders, each written as `,{…}`, without the brackets of a list. */
  readonly orders: Buffer;
  /** The number of orders in `orders`. */
  readonly count: number;
  /** The ids of the items that were left out because their id is not an int64. */
  readonly unlistedIds: readonly string[];
  /** The start key of the next page; absent on the last page. */
  readonly lastEvaluatedKey: Item | undefined;
}

export interface PageRequest {
  startKey?: Item | undefined;
  segment?: { index: number; total: number };
  /** Aborts the request when the page is no longer needed. */
  signal: AbortSignal;
}

export type ReadPage = (request: PageRequest) => Promise<OrdersPage>;

type Pages = AsyncGenerator<OrdersPage, void, void>;

const totalSegments = 4;

/**
 * Reads the first page, and returns a generator of all pages, which reads the other pages on demand. `signal` can
 * abort the first read.
 *
 * A table of one page is read with one Scan request, and a larger table in parallel segments. The first request of a
 * scan has to say the number of segments, before the size of the table is known. So the first page is read without
 * segments. If there are more pages, the scan starts again with segments:
 *
 *     Scan                          [ page 1 ]  no LastEvaluatedKey: the list is complete
 *                                       |
 *                                       | LastEvaluatedKey: there are more pages
 *                                       v
 *     Scan, segment 0 of 4          [ page ][ page ][ page ] ...
 *     Scan, segment 1 of 4          [ page ][ page ] ...
 *     Scan, segment 2 of 4          [ page ] ...
 *     Scan, segment 3 of 4          [ page ] ...
 *
 * A start key of a scan without segments cannot be used in a segment, so the segments return the orders of page 1
 * again, and page 1 is thrown away.
 */
export async function startScan(readPage: ReadPage, signal: AbortSignal): Promise<Pages> {
  const firstPage = await readPage({ signal });
  return firstPage.lastEvaluatedKey ? pagesOfSegments(readPage) : only(firstPage);
}

async function* only(page: OrdersPage): Pages {
  yield page;
}

async function* pagesOfSegments(readPage: ReadPage): Pages {
  const underWay = new Map<number, Promise<{ index: number; page: OrdersPage }>>();
  // When a request fails or the reader leaves, this ends all other requests that are under way.
  const ending = new AbortController();
  const request = (index: number, startKey?: Item) => {
    const segment = { index, total: totalSegments };
    const page = readPage({ startKey, segment, signal: ending.signal });
    const next = page.then((page) => ({ index, page }));
    // `Promise.race` below reports a failure. But if the reader has left by then, nothing handles the failure, and an
    // unhandled rejection would end the process.
    next.catch(() => {});
    underWay.set(index, next);
  };

  try {
    for (let index = 0; index < totalSegments; index++) request(index);
    while (underWay.size > 0) {
      const { index, page } = await Promise.race(underWay.values());
      // A segment that is deleted and added again moves to the end of the map, and `race` prefers the
      // first settled promise. So all segments get their turn.
      underWay.delete(index);
      if (page.lastEvaluatedKey) request(index, page.lastEvaluatedKey);
      yield page;
    }
  } finally {
    if (underWay.size > 0) ending.abort();
  }
}

/** Placeholders replace the names of fields, because DynamoDB may reserve a name. */
const projection = {
  ProjectionExpression: orderFieldNames.map((_, index) => `#${index}`).join(', '),
  ExpressionAttributeNames: Object.fromEntries(
    orderFieldNames.map((name, index) => [`#${index}`, name]),
  ),
};

/**
 * Returns a function that reads a page of a table's orders with one `Scan` request. It makes consistent reads, although
 * they cost twice as much, because otherwise an order that was just stored could be missing.
 */
export function pageReader(client: Pick<DynamoDBClient, 'send'>, tableName: string): ReadPage {
  return async ({ startKey, segment, signal }) => {
    const command = new ScanCommand({
      TableName: tableName,
      ConsistentRead: true,
      ...projection,
      ExclusiveStartKey: startKey,
      Segment: segment?.index,
      TotalSegments: segment?.total,
    });
    let response: ScanResponse = {};
    takeBody(command, (body) => {
      response = JSON.parse(body) as ScanResponse;
    });
    await client.send(command, { abortSignal: signal });
    return pageOf(response);
  };
}

/** The JSON of DynamoDB's response to a `Scan`. A number is a string in it, so that it keeps its digits. */
interface ScanResponse {
  readonly Items?: readonly Item[];
  readonly Count?: number;
  readonly LastEvaluatedKey?: Item;
}

type Handler = (
  parameters: unknown,
) => Promise<{ response: { statusCode: number; body: IncomingMessage | Buffer } }>;

/**
 * Lets a function parse the body of a successful response, instead of the SDK, whose deserializer copies every item and
 * takes half of the time of a list. If the function throws, the SDK gets the body, so that it reports the error. The
 * middleware is inside the SDK's retry loop. So the SDK still does signing, timeouts, retries and errors, and repeats a
 * request whose response cannot be read. Like the SDK for JavaScript, the middleware does not verify DynamoDB's
 * `x-amz-crc32`, because TLS protects the body's integrity.
 */
function takeBody(command: ScanCommand, parse: (body: string) => void): void {
  const middleware = (next: Handler) => async (parameters: unknown) => {
    const result = await next(parameters);
    const { response } = result;
    if (response.statusCode !== 200) return result;
    const body = Buffer.concat(await (response.body as IncomingMessage).toArray());
    try {
      parse(body.toString());
      response.body = Buffer.from('{}');
    } catch {
      response.body = body;
    }
    return result;
  };
  // The types of a middleware are in a package that is not a direct dependency of this project.
  command.middlewareStack.addRelativeTo(middleware as never, {
    relation: 'after',
    toMiddleware: 'deserializerMiddleware',
  });
}

/** @throws ApiError if items are missing */
function pageOf({
  Items: items = [],
  Count: stated,
  LastEvaluatedKey: lastEvaluatedKey,
}: ScanResponse): OrdersPage {
  // A truncated or empty response can be valid JSON with status 200.
  if (stated !== items.length) {
    const cause = new Error(`A page has ${items.length} items, and its Count is ${stated}.`);
    throw new ApiError('service_unavailable', { cause });
  }
  const unlistedIds: string[] = [];
  let orders = '';
  for (const item of items) {
    const order = orderToJson(item);
    if (order === undefined) unlistedIds.push(item.id?.N ?? '');
    else orders += `,${order}`;
  }
  const count = items.length - unlistedIds.length;
  return { orders: Buffer.from(orders), count, unlistedIds, lastEvaluatedKey };
}

/** The fields, with the text before their value in an order. Every order begins with its id. */
const members = orderFieldNames.map((name) => {
  const field = orderFields[name];
  const opening = `${name === 'id' ? '{' : ','}${JSON.stringify(name)}:`;
  return { name, field, type: attributeTypes[field.type], opening };
});

/**
 * The JSON text of an order. Another program may have written the item, so an attribute is left out if it does not have
 * its field's type or breaks a rule of the field. Numbers keep DynamoDB's digits, because a JavaScript number loses
 * digits of an int64 beyond 2^53.
 *
 * @returns undefined if the id is not an int64. No client can use the id of such an item, so it is not an order
 */
export function orderToJson(item: Item): string | undefined {
  let text = '';
  for (const { name, field, type, opening } of members) {
    const attribute = item[name];
    if (attribute && isValueOf(field, attribute)) {
      const value: unknown = attribute[type];
      text += opening + (type === 'N' ? value : JSON.stringify(value));
    } else if (name === 'id') return undefined;
  }
  return `${text}}`;
}
