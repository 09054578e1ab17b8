import { contentType, type Reply } from './dynamodb-proxy.ts';
import { type OrderItem, scanAnswer } from './orders.ts';

export interface ScannedTable {
  items: OrderItem[];
  ordersPerPage?: number;
}

interface ScanInput {
  ExclusiveStartKey?: { id: { N: string } };
  Segment?: number;
  TotalSegments?: number;
}

/**
 * Answers the scans of a table. Like in DynamoDB, the orders are divided between the segments of a parallel scan, in
 * another sequence than in a scan without segments.
 */
export function scanOf(table: ScannedTable): Reply {
  return ({ input, outgoing }) => outgoing.writeHead(200, contentType).end(pageOf(table, input));
}

function pageOf({ items, ordersPerPage = 1_000 }: ScannedTable, input: ScanInput): string {
  const { Segment = 0, TotalSegments = 1, ExclusiveStartKey } = input;
  const segment = items.filter((_, index) => index % TotalSegments === Segment);
  const startKey = ExclusiveStartKey?.id.N;
  const start = startKey === undefined ? 0 : segment.findIndex(({ id }) => id?.N === startKey) + 1;
  const page = segment.slice(start, start + ordersPerPage);
  const isLast = start + page.length === segment.length;
  return scanAnswer(page, isLast ? undefined : page.at(-1)!.id!.N);
}
