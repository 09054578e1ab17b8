import { type DynamoDBClient, ScanCommand, type ScanCommandOutput } from '@aws-sdk/client-dynamodb';
import { ApiError } from '../contract/errors.ts';
import type { Item } from '../contract/item.ts';
import { type CopiedOrders, copyOrders } from './order-copier.ts';
import { orderFieldNames } from './order-fields.ts';
import { orderToJson } from './order-json.ts';
import { interceptBody } from './response-body.ts';

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
    let copied: CopiedOrders | undefined;
    interceptBody(command, (chunks) => {
      copied = copyOrders(chunks);
      return copied.rest;
    });
    const output = await client.send(command, { abortSignal: signal });
    return completePage(copied!, output);
  };
}

/** Completes a page with the orders that the SDK has to convert. Usually there are none. */
function completePage(
  copied: CopiedOrders,
  { Items: items = [], Count: stated, LastEvaluatedKey: lastEvaluatedKey }: ScanCommandOutput,
): OrdersPage {
  const itemCount = copied.itemCount + items.length;
  // A truncated or empty response can be valid JSON with status 200, and the SDK does not report missing members.
  if (stated !== itemCount) {
    const cause = new Error(`A page has ${itemCount} items, and its Count is ${stated}.`);
    throw new ApiError('service_unavailable', { cause });
  }
  const unlistedIds = [...copied.unlistedIds];
  let others = '';
  for (const item of items) {
    const order = orderToJson(item);
    if (order === undefined) unlistedIds.push(item.id?.N ?? '');
    else others += `,${order}`;
  }
  const orders = others ? Buffer.concat([copied.orders, Buffer.from(others)]) : copied.orders;
  return { orders, count: itemCount - unlistedIds.length, unlistedIds, lastEvaluatedKey };
}
