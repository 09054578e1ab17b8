import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createPageSource, type PageRange, pageRange } from '../../bench/doubles/order-pages.ts';
import { forwardRequest } from '../helpers/forward-request.ts';

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
  const server = createServer(async (incoming, answer) => {
    const body = await buffer(incoming);
    if (!String(incoming.headers['x-amz-target']).endsWith('.Scan')) {
      return forwardRequest(incoming, body, answer, target);
    }
    const page = () => {
      const range = rangeOf(body, endpoint.orders);
      // Of a list that nobody waits for any more, from a table that has been replaced meanwhile.
      if (!range) return answer.destroy();
      endpoint.ordersSent += range.end - range.first;
      answer.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
      answer.end(Buffer.concat(pageBody(range)));
    };
    endpoint.onScan({ number: ++endpoint.scans, answer, page });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint: ScanEndpoint = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    orders: 0,
    onScan: ({ page }) => page(),
    scans: 0,
    ordersSent: 0,
    reset() {
      Object.assign(endpoint, { scans: 0, ordersSent: 0 });
      endpoint.onScan = ({ page }) => page();
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return endpoint;
}

/** A page that any segment may answer with, and which another one follows. */
export function cannedPage(): Buffer {
  const range = { first: ordersPerPage, end: 2 * ordersPerPage, isLast: false };
  return Buffer.concat(createPageSource()(range));
}

function rangeOf(scan: Buffer, orders: number): PageRange | undefined {
  const table = { orders, ordersPerPage, delayMs: 0, isUnsegmented: false };
  try {
    return pageRange(table, JSON.parse(scan.toString()));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
