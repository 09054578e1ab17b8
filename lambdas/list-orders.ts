import type { Writable } from 'node:stream';
import middy from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
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

// The time limit is longer than for a single item: up to four requests for a megabyte run at once.
const dynamodb = createDynamoDbClient({ maxAttempts: 3, requestTimeoutMs: 3_000 });
const readPage = pageReader(dynamodb, requiredVariable('ORDERS_TABLE'));

/** Prepares the response before any of it is sent: a list to stream, or the body of an error. */
const respond = middy<APIGatewayProxyEvent, ApiResponse<unknown>>(middySettings)
  .use(apiMiddleware())
  .handler(listOrders);

/**
 * `GET /store/orders`: streams every order in one JSON array while the table is being read. Middy's
 * streaming mode is not used because it destroys Lambda's stream when the list fails; `sendBody`
 * says why that must not happen.
 */
export const handler = awslambda.streamifyResponse(
  async (event: APIGatewayProxyEvent, lambdaStream, context) => {
    const { body, ...head } = (await respond(event, context)) as ApiResponse<OrdersBody | string>;
    const output = awslambda.HttpResponseStream.from(lambdaStream, head);
    // Lambda sends the status and the headers with the first write, even an empty one, but not with
    // `end` alone.
    output.write(typeof body === 'string' ? body : '');
    if (typeof body === 'string') output.end();
    else await sendList(body, output, logFields(event));
  },
);

/**
 * Reads the first page before the response starts, so that a failing table is answered with 503.
 *
 * @param options `signal` is aborted when the request is answered 504, which ends the scan
 */
async function listOrders(
  event: APIGatewayProxyEvent,
  _context: Context,
  { signal }: { signal: AbortSignal },
): Promise<ApiResponse<OrdersBody>> {
  const isGzip = prefersGzip(header(event, 'accept-encoding'));
  const scan = new AbortController();
  signal.addEventListener('abort', () => scan.abort());

  const { pages } = await startScan(readPage, scan.signal);
  const compressor = isGzip ? await gzipCompressor() : undefined;
  const body = ordersBody(pages, compressor, () => scan.abort());

  return { statusCode: 200, headers: listHeaders(isGzip), body };
}

function listHeaders(isGzip: boolean): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    Vary: 'Accept-Encoding',
    ...(isGzip && { 'Content-Encoding': 'gzip' }),
  };
}

/** @throws the error that ended the list; Lambda's runtime reports the invocation as failed */
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
