import { describe, expect, it } from '@jest/globals';
import {
  createPageSource,
  orderId,
  pageRange,
  type ScanRequest,
} from '../../../bench/doubles/order-pages.ts';
import type { OrdersTable } from '../../../bench/doubles/orders-table.ts';

const table: OrdersTable = { orders: 25, ordersPerPage: 10, delayMs: 0, isUnsegmented: false };
const pageBody = createPageSource();

interface Page {
  Items: { id: { N: string }; shipDate?: { S: string } }[];
  Count: number;
  LastEvaluatedKey?: { id: { N: string } };
}

function scan(request: ScanRequest, of = table): Page {
  return JSON.parse(Buffer.concat(pageBody(pageRange(of, request))).toString());
}

function scanSegment(segment: number, total: number, of = table): string[] {
  const ids: string[] = [];
  let key: Page['LastEvaluatedKey'];
  do {
    const page = scan({ Segment: segment, TotalSegments: total, ExclusiveStartKey: key }, of);
    ids.push(...page.Items.map((item) => item.id.N));
    key = page.LastEvaluatedKey;
  } while (key);
  return ids;
}

const allIds = Array.from({ length: table.orders }, (_, index) => orderId(index));

describe('the pages of a canned table', () => {
  it('hold at most a page of orders and name the last one while there are more', () => {
    const page = scan({});

    expect(page.Items).toHaveLength(10);
    expect(page.Count).toBe(10);
    expect(page.LastEvaluatedKey).toEqual({ id: { N: orderId(9) } });
  });

  it.each([1, 2, 4])('together hold every order once, scanned in %d segments', (total) => {
    const segments = Array.from({ length: total }, (_, segment) => scanSegment(segment, total));

    expect(segments.flat()).toEqual(allIds);
  });

  it('all lie in segment 0 of an unsegmented table', () => {
    const unsegmented = { ...table, isUnsegmented: true };

    const segments = [0, 1, 2, 3].map((segment) => scanSegment(segment, 4, unsegmented));

    expect(segments).toEqual([allIds, [], [], []]);
  });

  it('end where the request says, if that is sooner', () => {
    expect(scan({ Limit: 3 }).Items).toHaveLength(3);
  });

  it('refuse a start key of another segment', () => {
    const request = { Segment: 3, TotalSegments: 4, ExclusiveStartKey: { id: { N: orderId(0) } } };

    expect(() => scan(request)).toThrow(RangeError);
  });

  it('are empty for an empty table', () => {
    expect(scan({}, { ...table, orders: 0 })).toEqual({ Items: [], Count: 0, ScannedCount: 0 });
  });

  it('fill about 1.16 MB with 8,500 orders, some of them without a ship date', () => {
    const full = { ...table, orders: 8_500, ordersPerPage: 8_500 };

    const [items] = pageBody(pageRange(full, {}));

    expect(items.length / 1e6).toBeCloseTo(1.16, 1);
    const { Items } = scan({}, full);
    expect(Items.filter((item) => item.shipDate === undefined)).toHaveLength(425);
  });
});
