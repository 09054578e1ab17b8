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

/** The content of the tables: orders, and an owner with a key. */
export interface Tables {
  /** The pages of a `Scan`, which all have the same orders. */
  pages: number;
  /** @default ordersPerFullPage */
  ordersPerPage?: number;
  /** Whether the owner has used up its minute. @default false */
  isMinuteFull?: boolean;
}

/** These orders take 1 MB, which is DynamoDB's maximum for a `Scan`. */
export const ordersPerFullPage = 8_500;

/** The counters of `rate-limiter-flexible`: an item for each owner and window. */
export const counterTable = 'rate-limiter-counters';
const perMinute = 60_000;
/** Ids have 16 digits and are below 2^53, because the peer reads an id into a JavaScript number. */
const lowestOrderId = 8_000_000_000_000_000;

/** Answers like DynamoDB, but checks no signature, evaluates no expression and writes nothing. */
export function replyFor({ operation, input, body }: DynamodbCall, tables: Tables): Reply {
  if (operation === 'Scan') return pageOf(input as ScanInput, tables);
  // The call is from our authorizer if its partition key is `ownerHash`, and from the peer if it is `keyHash`.
  if (body.includes('"ownerHash"')) {
    return answer({ [operation === 'GetItem' ? 'Item' : 'Attributes']: cannedOwner(tables) });
  }
  if (body.includes('"keyHash"')) {
    return answer({ Item: attributes({ keyId, ownerId, status: 'active' }) });
  }
  if (input.TableName === counterTable) {
    // Every counter exists, so the creation of a counter fails.
    if (body.includes('attribute_not_exists')) return failure('ConditionalCheckFailedException');
    const counter = attributes({ points: 2, expire: Math.floor(Date.now() / 1_000) + 30 });
    return answer({ Attributes: { ...(input.Key as object), ...counter } });
  }
  const { ':cancelRequestId': cancelRequestId } = input.ExpressionAttributeValues as never;
  return answer({ Attributes: { status: { S: 'cancelled' }, cancelRequestId } });
}

/**
 * A page of a scan. A start key is the number of a page. With four segments, segment 1 has the pages 1, 5, 9 and so on.
 */
function pageOf(
  { Segment = 0, TotalSegments = 1, ExclusiveStartKey }: ScanInput,
  { pages, ordersPerPage = ordersPerFullPage }: Tables,
): Reply {
  const page = ExclusiveStartKey ? Number(ExclusiveStartKey.id.N) + TotalSegments : Segment;
  const count = page < pages ? ordersPerPage : 0;
  const isLast = page + TotalSegments >= pages;
  const next = isLast ? '' : `,"LastEvaluatedKey":{"id":{"N":"${page}"}}`;
  const end = `,"Count":${count},"ScannedCount":${count}${next}}`;
  renderedItems[count] ??= renderItems(count);
  const body = Buffer.concat([renderedItems[count], Buffer.from(end)]);
  return ({ outgoing }) =>
    outgoing.writeHead(200, { ...contentType, 'content-length': body.length }).end(body);
}

interface ScanInput {
  Segment?: number;
  TotalSegments?: number;
  ExclusiveStartKey?: { id: { N: string } };
}

/** The items of a page, by the number of items. Each number is rendered once. */
const renderedItems: Record<number, Buffer> = {};

/** Every 20th order has no ship date. The attributes are not in the published order of the fields. */
function renderItems(count: number): Buffer {
  const items = Array.from({ length: count }, (_, index) => {
    const minuteMs = ((index * 48_271) % 525_600) * 60_000;
    const shipDate = `${new Date(Date.UTC(2026, 0) + minuteMs).toISOString().slice(0, 19)}Z`;
    return {
      petId: { N: String((index * 7_919) % 1_000_000) },
      complete: { BOOL: index % 3 === 0 },
      id: { N: String(lowestOrderId + index) },
      quantity: { N: String((index % 9) + 1) },
      shipDate: index % 20 === 0 ? undefined : { S: shipDate },
    };
  });
  return Buffer.from(`{"Items":${JSON.stringify(items)}`);
}

function cannedOwner({ isMinuteFull }: Tables) {
  const { minute, day } = windowStarts(Math.floor(Date.now() / 1_000));
  const limits = { plan: 'enterprise', perMinute, perDay: 10_000_000 };
  const minuteCount = isMinuteFull ? perMinute : 17;
  return ownerItem({ ...limits, minuteWindow: minute, minuteCount, dayWindow: day });
}
