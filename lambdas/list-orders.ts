import type { Writable } from 'node:stream';
import middy from '@middy/core';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { prefersGzip } from './list-orders/accept-encoding.ts';
import { gzipCompressor, type OrdersBody, ordersBody } from './list-orders/orders-body.ts';
import { pageReader } from './list-orders/orders-page.ts';
import { startScan } from './list-orders/scan-pages.ts';
import { SlowReaderError, sendBody } from './list-orders/send-body.ts';
import { keepYoungGenerationSmall } from './list-orders/young-generation.ts';
import { header, logFields } from './shared/api-event.ts';
import { type ApiResponse, apiMiddleware, middySettings } from './shared/api-middleware.ts';
import { createDynamoDbClient } from './shared/dynamodb.ts';
import { requiredVariable } from './shared/environment.ts';
import { type LogFields, log } from './shared/log.ts';
import { recordMetrics } from './shared/metrics.ts';

keepYoungGenerationSmall();

// A page is a megabyte, and four are under way at once.
const dynamodb = createDynamoDbClient({ maxAttempts: 3, requestTimeoutMs: 3_000 });
const readPage = pageReader(dynamodb, requiredVariable('ORDERS_TABLE'));

/** What there is to answer, before any of it is sent: a list to stream, or the text of an error. */
const respond = middy<APIGatewayProxyEvent, ApiResponse<unknown>>(middySettings)
  .use(apiMiddleware())
  .handler(listOrders);

/**
 * `GET /store/orders`: every order, as one JSON array that is streamed as it is read. Not in Middy's
 * own streaming mode, whose pipeline destroys Lambda's stream when the list fails: see `sendBody`.
 */
export const handler = awslambda.streamifyResponse(
  async (event: APIGatewayProxyEvent, lambdaStream, context) => {
    const { body, ...head } = (await respond(event, context)) as ApiResponse<OrdersBody | string>;
    const output = awslambda.HttpResponseStream.from(lambdaStream, head);
    // The first write sends the status and the headers; `end` alone would not.
    output.write(typeof body === 'string' ? body : '');
    if (typeof body === 'string') output.end();
    else await sendList(body, output, logFields(event));
  },
);

/** The first page is read before anything is answered: a table that fails still gets its status. */
async function listOrders(event: APIGatewayProxyEvent): Promise<ApiResponse<OrdersBody>> {
  const isGzip = prefersGzip(header(event, 'accept-encoding'));
  const work = new AbortController();

  const { pages } = await startScan(readPage, work.signal);
  const compressor = isGzip ? await gzipCompressor() : undefined;
  const body = ordersBody(pages, compressor, () => work.abort());

  return { statusCode: 200, headers: listHeaders(isGzip), body };
}

function listHeaders(isGzip: boolean): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    Vary: 'Accept-Encoding',
    ...(isGzip && { 'Content-Encoding': 'gzip' }),
  };
}

/** @throws what the list broke off with, which Lambda's runtime reports */
async function sendList(list: OrdersBody, output: Writable, fields: LogFields): Promise<void> {
  try {
    await sendBody(list.stream, output);
    recordListing(list, { ...fields, isComplete: true });
  } catch (error) {
    recordListing(list, { ...fields, isComplete: false });
    if (error instanceof SlowReaderError) log.warn('A slow client was cut off', fields);
    else log.error('The list broke off', error, fields);
    throw error;
  }
}

function recordListing({ totals }: OrdersBody, fields: LogFields): void {
  recordMetrics({ OrdersListed: totals.orders, BytesStreamed: totals.bytes }, { fields });
}
