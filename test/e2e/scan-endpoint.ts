import type { ServerResponse } from 'node:http';
import { createPageSource, pageRange } from '../../tools/bench/canned-orders.ts';
import { contentType, DynamodbProxy, forwardTo } from '../helpers/dynamodb/dynamodb-proxy.ts';

/** A request for a page of a scan. */
export interface ScanCall {
  /** The number of the request, counted from 1. */
  readonly number: number;
  readonly answer: ServerResponse;
  /** Answers with the next page of the canned table. */
  readonly page: () => unknown;
  /** Has the other DynamoDB answer, from its own table. */
  readonly forward: () => unknown;
}

/** A DynamoDB with canned scans, so that a table can have any size without being filled. */
export interface ScanEndpoint extends AsyncDisposable {
  readonly url: string;
  /** The orders in the table. */
  orders: number;
  /** The most orders of a page. */
  ordersPerPage: number;
  /** Handles a scan. */
  onScan: (call: ScanCall) => unknown;
  /** The number of scans since the last reset. */
  scans: number;
  ordersSent: number;
  reset(): void;
}

/** A number of orders that no client reads completely. */
export const endless = 50_000_000;
export const ordersPerPage = 5_000;

/** Starts the endpoint. @param target receives all requests but the scans that are answered here */
export async function scanEndpoint(target: string): Promise<ScanEndpoint> {
  const pageBody = createPageSource();
  const forward = forwardTo(target);
  const proxy = await DynamodbProxy.start((call) => {
    if (call.operation !== 'Scan') return forward(call);
    const answer = call.outgoing;
    const page = () => {
      const range = rangeOf(call.input, endpoint);
      // The scan belongs to an abandoned list of a table that has been replaced meanwhile.
      if (!range) return answer.destroy();
      endpoint.ordersSent += range.end - range.first;
      answer.writeHead(200, contentType).end(Buffer.concat(pageBody(range)));
    };
    endpoint.onScan({
      number: ++endpoint.scans,
      answer,
      page,
      forward: () => forward(call),
    });
  });
  const endpoint: ScanEndpoint = {
    url: proxy.url,
    orders: 0,
    ordersPerPage,
    onScan: ({ page }) => page(),
    scans: 0,
    ordersSent: 0,
    reset() {
      Object.assign(endpoint, { scans: 0, ordersSent: 0, ordersPerPage });
      endpoint.onScan = ({ page }) => page();
    },
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
  return endpoint;
}

/** A page for any segment, which is followed by another one. */
export function cannedPage(): Buffer {
  const range = { first: ordersPerPage, end: 2 * ordersPerPage, isLast: false };
  return Buffer.concat(createPageSource()(range));
}

function rangeOf(scan: object, table: Pick<ScanEndpoint, 'orders' | 'ordersPerPage'>) {
  try {
    return pageRange(table, scan);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
