import type { ServerResponse } from 'node:http';
import { createPageSource, pageRange } from '../../bench/doubles/order-pages.ts';
import { contentType, DynamodbProxy, forwardTo } from '../helpers/dynamodb-proxy.ts';

/** One request for a page. */
export interface ScanCall {
  /** From 1. */
  readonly number: number;
  readonly answer: ServerResponse;
  /** Answers with the next page of the canned table. */
  readonly page: () => unknown;
}

/** A DynamoDB whose scans are canned, so that a table can have any size at once. */
export interface ScanEndpoint extends AsyncDisposable {
  readonly url: string;
  /** The orders in the table. */
  orders: number;
  /** What is done with a scan. */
  onScan: (call: ScanCall) => unknown;
  /** Since the last reset. */
  scans: number;
  ordersSent: number;
  reset(): void;
}

/** More than any client reads. */
export const endless = 50_000_000;
export const ordersPerPage = 5_000;

/** @param target what is not a scan goes there */
export async function scanEndpoint(target: string): Promise<ScanEndpoint> {
  const pageBody = createPageSource();
  const forward = forwardTo(target);
  const proxy = await DynamodbProxy.start((call) => {
    if (call.operation !== 'Scan') return forward(call);
    const answer = call.outgoing;
    const page = () => {
      const range = rangeOf(call.input, endpoint.orders);
      // Of a list that nobody waits for any more, from a table that has been replaced meanwhile.
      if (!range) return answer.destroy();
      endpoint.ordersSent += range.end - range.first;
      answer.writeHead(200, contentType).end(Buffer.concat(pageBody(range)));
    };
    endpoint.onScan({ number: ++endpoint.scans, answer, page });
  });
  const endpoint: ScanEndpoint = {
    url: proxy.url,
    orders: 0,
    onScan: ({ page }) => page(),
    scans: 0,
    ordersSent: 0,
    reset() {
      Object.assign(endpoint, { scans: 0, ordersSent: 0 });
      endpoint.onScan = ({ page }) => page();
    },
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
  return endpoint;
}

/** A page that any segment may answer with, and which another one follows. */
export function cannedPage(): Buffer {
  const range = { first: ordersPerPage, end: 2 * ordersPerPage, isLast: false };
  return Buffer.concat(createPageSource()(range));
}

function rangeOf(scan: object, orders: number) {
  try {
    return pageRange({ orders, ordersPerPage, delayMs: 0, isUnsegmented: false }, scan);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
