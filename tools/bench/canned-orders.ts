import type { OrderFieldName } from '../../lambdas/domain/order-fields.ts';
import { type OperationName, operations } from '../../lib/settings/functions.ts';
import { proxyEvent } from '../../test/helpers/functions/events.ts';

/** A canned table of orders. */
export interface OrdersTable {
  orders: number;
  /** Of each page. @default 0 */
  delayMs?: number;
  /** Whether all orders are in segment 0 of a parallel scan, which makes the scan sequential. */
  isUnsegmented?: boolean;
}

/** The parameters of a `Scan` request that determine which orders are returned. */
export interface ScanRequest {
  Segment?: number;
  TotalSegments?: number;
  ExclusiveStartKey?: { id: { N: string } };
}

/** The approximate number of orders in a page of 1 MB, DynamoDB's maximum for a `Scan`. */
export const ordersPerFullPage = 8_500;

/** Ids have 16 digits and are below 2^53, because the peers read an id into a JavaScript number. */
const lowestOrderId = 8_000_000_000_000_000;
const firstShipDateMs = Date.UTC(2026, 0, 1);

/** The items of each requested page, by the positions of its first order and of the one after its last. */
const pages = new Map<string, Buffer>();

/** API Gateway's event for an operation, on the first order. */
export function operationEvent(name: OperationName, headers: Record<string, string> = {}) {
  const { method: httpMethod, path } = operations[name];
  const pathParameters = { orderId: orderId(0) };
  return proxyEvent({
    httpMethod,
    path: `/v1${path.replace('{orderId}', orderId(0))}`,
    pathParameters,
    headers,
  });
}

/** Renders the body of a `Scan` in two parts. It keeps the first, large part for the next time. */
export function pageBody(table: OrdersTable, scan: ScanRequest): [items: Buffer, end: Buffer] {
  const [segmentStart, segmentEnd] = segmentBounds(table, scan);
  const { ExclusiveStartKey: startKey } = scan;
  const first = startKey ? Number(startKey.id.N) - lowestOrderId + 1 : segmentStart;
  const end = Math.min(first + ordersPerFullPage, segmentEnd);
  const key = `${first}-${end}`;
  const items = pages.get(key) ?? renderItems(first, end);
  pages.set(key, items);
  const counts = `,"Count":${end - first},"ScannedCount":${end - first}`;
  const next = end < segmentEnd ? `,"LastEvaluatedKey":{"id":{"N":"${orderId(end - 1)}"}}` : '';
  return [items, Buffer.from(`${counts}${next}}`)];
}

function segmentBounds(table: OrdersTable, scan: ScanRequest): [start: number, end: number] {
  const { Segment: segment = 0, TotalSegments: total = 1 } = scan;
  if (table.isUnsegmented) return segment === 0 ? [0, table.orders] : [table.orders, table.orders];
  const boundary = (index: number) => Math.floor((table.orders * index) / total);
  return [boundary(segment), boundary(segment + 1)];
}

function renderItems(first: number, end: number): Buffer {
  const items = Array.from({ length: end - first }, (_, index) => renderItem(first + index));
  return Buffer.from(`{"Items":[${items.join(',')}]`);
}

/** Every 20th order has no ship date. The attributes are not in the published order of the fields. */
function renderItem(index: number): string {
  const item = {
    petId: { N: String((index * 7_919) % 1_000_000) },
    complete: { BOOL: index % 3 === 0 },
    id: { N: orderId(index) },
    quantity: { N: String((index % 9) + 1) },
    shipDate: index % 20 === 0 ? undefined : { S: shipDate(index) },
  } satisfies Record<OrderFieldName, object | undefined>;
  return JSON.stringify(item);
}

function orderId(index: number): string {
  return String(lowestOrderId + index);
}

function shipDate(index: number): string {
  const minute = (index * 48_271) % 525_600;
  return `${new Date(firstShipDateMs + minute * 60_000).toISOString().slice(0, 19)}Z`;
}
