import type { Readable } from 'node:stream';
import middy from '@middy/core';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { prefersGzip } from './list-orders/accept-encoding.ts';
import { gzipCompressor, type OrdersBody, ordersBody } from './list-orders/orders-body.ts';
import { pageReader } from './list-orders/orders-page.ts';
import { startScan } from './list-orders/scan-pages.ts';
import { header, logFields } from './shared/api-event.ts';
import { type ApiResponse, apiMiddleware, middySettings } from './shared/api-middleware.ts';
import { createDynamoDbClient } from './shared/dynamodb.ts';
import { requiredVariable } from './shared/environment.ts';
import { log } from './shared/log.ts';
import { recordMetrics } from './shared/metrics.ts';

// A page is a megabyte, and four are under way at once.
const dynamodb = createDynamoDbClient({ maxAttempts: 3, requestTimeoutMs: 3_000 });
const readPage = pageReader(dynamodb, requiredVariable('ORDERS_TABLE'));

/** `GET /store/orders`: every order, as one JSON array that is streamed as it is read. */
export const handler = middy<APIGatewayProxyEvent, ApiResponse<unknown>>({
  ...middySettings,
  executionMode: executionModeStreamifyResponse,
})
  .use(apiMiddleware())
  .handler(listOrders);

/** The first page is read before anything is answered: a table that fails still gets its status. */
async function listOrders(event: APIGatewayProxyEvent): Promise<ApiResponse<Readable>> {
  const isGzip = prefersGzip(header(event, 'accept-encoding'));
  const work = new AbortController();

  const { pages } = await startScan(readPage, work.signal);
  const compressor = isGzip ? await gzipCompressor() : undefined;
  const body = ordersBody(pages, compressor, () => work.abort());

  body.stream.once('close', () => recordListing(body, event));
  return { statusCode: 200, headers: listHeaders(isGzip), body: body.stream };
}

function listHeaders(isGzip: boolean): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    Vary: 'Accept-Encoding',
    ...(isGzip && { 'Content-Encoding': 'gzip' }),
  };
}

function recordListing({ stream, totals }: OrdersBody, event: APIGatewayProxyEvent): void {
  const { orders, bytes, failure } = totals;
  const fields = logFields(event);
  recordMetrics(
    { OrdersListed: orders, BytesStreamed: bytes },
    { fields: { ...fields, isComplete: stream.readableEnded } },
  );
  if (failure) log.error('The list broke off', failure, fields);
}
