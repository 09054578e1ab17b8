import type { IncomingMessage } from 'node:http';
import { type DynamoDBClient, ScanCommand, type ScanCommandOutput } from '@aws-sdk/client-dynamodb';
import { ServiceUnavailableError } from '../domain/errors.ts';
import type { Item } from '../domain/item.ts';
import { orderFieldNames } from '../domain/order-fields.ts';
import { orderToJson } from '../domain/order-json.ts';
import { type CopiedOrders, copyOrders, slackBytes } from './order-copier.ts';

/** The orders of one `Scan` response as JSON text. */
export interface OrdersPage extends Pick<CopiedOrders, 'count' | 'ids' | 'unlistedIds'> {
  /** The orders, each written as `,{…}`, without separators. No buffer is empty. */
  buffers: Buffer[];
  /** Frees the memory of the buffers, which must not be used afterwards. */
  release(): void;
  /** The start key of the next page; absent on the last page. */
  lastEvaluatedKey: Item | undefined;
}

export interface PageRequest {
  startKey?: Item | undefined;
  segment?: { index: number; total: number };
  /** The ids of items to leave out. Without it, the page has no `ids`. */
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
 * Returns a function that reads a page of a table's orders with one `Scan` request. Consistent reads cost
 * twice as much, and without them an order that was just stored could be missing.
 */
export function pageReader(client: Pick<DynamoDBClient, 'send'>, tableName: string): ReadPage {
  return async ({ startKey, segment, except, signal }) => {
    const command = new ScanCommand({
      TableName: tableName,
      ConsistentRead: true,
      ...projection,
      ExclusiveStartKey: startKey,
      Segment: segment?.index,
      TotalSegments: segment?.total,
    });
    let copied: CopiedOrders | undefined;
    interceptBody(command, (page) => {
      copied = copyOrders(page, except);
      return copied.rest;
    });
    const output = await client.send(command, { abortSignal: signal });
    return completePage(copied!, output, except);
  };
}

/** Completes a page with the orders that were left to the SDK, usually none. */
function completePage(
  { orders, count, itemCount, ids, unlistedIds }: CopiedOrders,
  { Items: items = [], Count: stated, LastEvaluatedKey: lastEvaluatedKey }: ScanCommandOutput,
  except: PageRequest['except'],
): OrdersPage {
  requireWhole(itemCount + items.length, stated);
  const others: string[] = [];
  for (const item of items) {
    const id = item.id?.N ?? '';
    ids.push(id);
    if (except?.has(id)) continue;
    const order = orderToJson(item);
    if (order === undefined) unlistedIds.push(id);
    else others.push(`,${order}`);
  }
  return {
    buffers: [orders, Buffer.from(others.join(''))].filter(({ length }) => length > 0),
    release: () => freeMemory(orders),
    count: count + others.length,
    ids,
    unlistedIds,
    lastEvaluatedKey,
  };
}

/**
 * A truncated or empty response can still be valid JSON with status 200, and the SDK does not complain about
 * missing members. Without this check, nobody would notice that the list is incomplete.
 */
function requireWhole(found: number, stated: number | undefined): void {
  if (stated === found) return;
  const cause = new Error(`A page of orders has ${found}, and states ${stated ?? 'no number'}.`);
  throw new ServiceUnavailableError({ cause });
}

type Handler = (
  parameters: unknown,
) => Promise<{ response: { statusCode: number; body: IncomingMessage | Buffer } }>;

/**
 * Passes the body of every successful response, followed by `slackBytes`, to a function, and what that
 * returns to the SDK's deserializer. The middleware is inside the SDK's retry loop, so the SDK still does
 * signing, timeouts, retries and errors, and repeats a request whose response ends prematurely. Like the
 * SDK for JavaScript, it does not verify DynamoDB's `x-amz-crc32`; TLS protects the body's integrity.
 */
function interceptBody(command: ScanCommand, takeBody: (body: Buffer) => Buffer): void {
  const middleware = (next: Handler) => async (parameters: unknown) => {
    const result = await next(parameters);
    const { response } = result;
    if (response.statusCode === 200) {
      const body = await readBody(response.body as IncomingMessage);
      response.body = takeBody(body);
      unusedMemory.push(body.buffer);
    }
    return result;
  };
  // The types of a middleware are in a package that is not a direct dependency of this project.
  command.middlewareStack.addRelativeTo(middleware as never, {
    relation: 'after',
    toMiddleware: 'deserializerMiddleware',
  });
}

/*
 * The memory of buffers is outside of JavaScript's heap, whose size is what triggers garbage collection,
 * so unused buffers would add up to dozens of megabytes. Therefore the memory of a response is used for
 * the next one, and all other memory is freed at once.
 */

const unusedMemory: ArrayBufferLike[] = [];
/** DynamoDB's 1 MB of stored items becomes about 1.2 MB of JSON. */
const usualBodyBytes = 1.5 * 2 ** 20;

/** With `for await` over the body, a list would take a fifth more CPU time. */
function readBody(body: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let memory = Buffer.from(unusedMemory.pop() ?? new ArrayBuffer(usualBodyBytes));
    let length = 0;
    body.on('data', (chunk: Buffer) => {
      const neededBytes = length + chunk.length + slackBytes;
      if (neededBytes > memory.length) memory = Buffer.concat([memory], 2 * neededBytes);
      length += chunk.copy(memory, length);
      // Node's HTTP parser allocates memory for each chunk, to which nothing else refers.
      if (chunk.buffer.byteLength === chunk.length) freeMemory(chunk);
    });
    body.on('end', () => resolve(memory.subarray(0, length + slackBytes)));
    body.on('error', reject);
  });
}

/** @param buffer one that does not share its memory with others */
function freeMemory({ buffer }: Buffer): void {
  (buffer as ArrayBuffer).transfer(0);
}
