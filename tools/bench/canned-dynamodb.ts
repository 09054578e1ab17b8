import { windowStarts } from '../../lambdas/keys/windows.ts';
import { attributes } from '../../test/helpers/dynamodb/attribute-values.ts';
import {
  answer,
  contentType,
  type DynamodbCall,
  failure,
  type Reply,
} from '../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { keyId, ownerId, ownerItem } from '../../test/helpers/dynamodb/key-items.ts';

/** The table of orders. All its pages are alike. */
interface OrdersTable {
  readonly pages: number;
  readonly ordersPerPage: number;
}

/** Answers like DynamoDB, but checks no signature, evaluates no expression and writes nothing. */
export function replyTo({ operation, input, body }: DynamodbCall, orders: OrdersTable): Reply {
  if (operation === 'Scan') return pageOf(input as ScanInput, orders);
  const key = input.Key as object;
  if ('ownerHash' in key) {
    return answer({ [operation === 'GetItem' ? 'Item' : 'Attributes']: cannedOwner() });
  }
  // The peer of the authorizer reads the key, and then counts in an item for each owner and window.
  if ('keyHash' in key) return answer({ Item: attributes({ keyId, ownerId, status: 'active' }) });
  if ('key' in key) {
    // Every counter exists, so the creation of a counter fails.
    if (body.includes('attribute_not_exists')) return failure('ConditionalCheckFailedException');
    const counter = attributes({ points: 2, expire: Math.floor(Date.now() / 1_000) + 30 });
    return answer({ Attributes: { ...key, ...counter } });
  }
  const { ':cancelRequestId': cancelRequestId } = input.ExpressionAttributeValues as never;
  return answer({ Attributes: { status: { S: 'cancelled' }, cancelRequestId } });
}

interface ScanInput {
  Segment?: number;
  TotalSegments?: number;
  ExclusiveStartKey?: { id: { N: string } };
}

/**
 * A page of a scan. A start key is the number of a page. With four segments, segment 1 has the pages 1, 5, 9 and so on.
 */
function pageOf(
  { Segment = 0, TotalSegments = 1, ExclusiveStartKey }: ScanInput,
  { pages, ordersPerPage }: OrdersTable,
): Reply {
  const page = ExclusiveStartKey ? Number(ExclusiveStartKey.id.N) + TotalSegments : Segment;
  const count = page < pages ? ordersPerPage : 0;
  const isLast = page + TotalSegments >= pages;
  const next = isLast ? '' : `,"LastEvaluatedKey":{"id":{"N":"${page}"}}`;
  renderedItems[count] ??= JSON.stringify(
    Array.from({ length: count }, (_, index) => order(index)),
  );
  const body = `{"Items":${renderedItems[count]},"Count":${count},"ScannedCount":${count}${next}}`;
  return ({ outgoing }) => outgoing.writeHead(200, contentType).end(body);
}

/** The items of a page, by the number of items. Each number is rendered once. */
const renderedItems: Record<number, string> = {};

/** An order. Every 20th has no ship date. The attributes are not in the published order of the fields. */
function order(index: number) {
  const shipDate = `2026-11-${10 + (index % 20)}T09:30:00Z`;
  return {
    petId: { N: String((index * 7_919) % 1_000_000) },
    complete: { BOOL: index % 3 === 0 },
    // Ids have 16 digits and are below 2^53, because the peer reads an id into a JavaScript number.
    id: { N: String(8_000_000_000_000_000 + index) },
    quantity: { N: String((index % 9) + 1) },
    shipDate: index % 20 === 0 ? undefined : { S: shipDate },
  };
}

/** An owner that has used a little of its minute. */
function cannedOwner() {
  const { minute, day } = windowStarts(Math.floor(Date.now() / 1_000));
  const limits = { plan: 'enterprise', perMinute: 60_000, perDay: 10_000_000 };
  return ownerItem({ ...limits, minuteWindow: minute, minuteCount: 17, dayWindow: day });
}
