/** A canned table of orders, whose pages have the same orders. */
export interface OrdersTable {
  pages: number;
  /** @default 8,500, which take 1 MB: DynamoDB's maximum for a `Scan` */
  ordersPerPage?: number;
  /** Whether all pages are in segment 0 of a parallel scan, which makes the scan sequential. */
  isUnsegmented?: boolean;
}

export const ordersPerFullPage = 8_500;

/** Ids have 16 digits and are below 2^53, because the peers read an id into a JavaScript number. */
const lowestOrderId = 8_000_000_000_000_000;
const firstShipDateMs = Date.UTC(2026, 0, 1);

/** The items of a page, by their number. */
const renderedItems = new Map<number, Buffer>();

/** The body of a `Scan` in two parts. The first, large part is rendered only once. The start key is a page number. */
export function pageBody(
  { pages, ordersPerPage = ordersPerFullPage, isUnsegmented }: OrdersTable,
  scan: { Segment?: number; TotalSegments?: number; ExclusiveStartKey?: { id: { N: string } } },
): [items: Buffer, end: string] {
  const { Segment = 0, TotalSegments = 1, ExclusiveStartKey } = scan;
  const pagesBefore = (segment: number) =>
    Math.min(pages, Math.floor((pages * segment) / (isUnsegmented ? 1 : TotalSegments)));
  const page = ExclusiveStartKey ? Number(ExclusiveStartKey.id.N) + 1 : pagesBefore(Segment);
  const pagesLeft = pagesBefore(Segment + 1) - page;
  const count = pagesLeft > 0 ? ordersPerPage : 0;
  const items = renderedItems.get(count) ?? renderItems(count);
  renderedItems.set(count, items);
  const next = pagesLeft > 1 ? `,"LastEvaluatedKey":{"id":{"N":"${page}"}}` : '';
  return [items, `,"Count":${count},"ScannedCount":${count}${next}}`];
}

/** Every 20th order has no ship date. The attributes are not in the published order of the fields. */
function renderItems(count: number): Buffer {
  const items = Array.from({ length: count }, (_, index) => {
    const minuteMs = ((index * 48_271) % 525_600) * 60_000;
    const shipDate = `${new Date(firstShipDateMs + minuteMs).toISOString().slice(0, 19)}Z`;
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
