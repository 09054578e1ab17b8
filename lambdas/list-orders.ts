import type { Writable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { header } from './domain/headers.ts';
import { pageReader } from './list-orders/orders-page.ts';
import { startScan } from './list-orders/scan-pages.ts';
import { type OrdersList, SlowReaderError, sendList } from './list-orders/send-list.ts';
import { type ApiResponse, apiHandler, logFields } from './runtime/api-handler.ts';
import { createDynamoDbClient } from './runtime/dynamodb.ts';
import { requiredVariable } from './runtime/environment.ts';
import { type LogFields, log } from './runtime/log.ts';
import { recordMetrics } from './runtime/metrics.ts';

// Keeps V8's young generation at its initial size of two semi-spaces of 1 MB. The list allocates many
// short-lived objects, to which V8 reacts by growing it, which costs memory and saves no time: without
// growth, five million orders take 118 MB instead of 134 MB. `--max-semi-space-size` in `NODE_OPTIONS`
// cannot be used, because Lambda sets that option on the command line, which takes precedence.
setFlagsFromString('--semi-space-growth-factor=1');

// The time limit is longer than for a single item: up to four requests for a megabyte run at once.
const dynamodb = createDynamoDbClient({ maxAttempts: 3, requestTimeoutMs: 3_000 });
const readPage = pageReader(dynamodb, requiredVariable('ORDERS_TABLE'));

/** Prepares the response before any of it is sent: a list to stream, or the body of an error. */
const respond = apiHandler(listOrders);

/**
 * `GET /store/orders`: streams every order in one JSON array while the table is being read. Middy's
 * streaming mode is not used because it destroys Lambda's stream when the list fails; `sendList` says
 * why that must not happen.
 */
export const handler = awslambda.streamifyResponse(
  async (event: APIGatewayProxyEvent, lambdaStream, context) => {
    const { body, ...head } = (await respond(event, context)) as ApiResponse<OrdersList | string>;
    const output = awslambda.HttpResponseStream.from(lambdaStream, head);
    // Lambda sends the status and the headers with the first write, even an empty one, but not with
    // `end` alone.
    output.write(typeof body === 'string' ? body : '');
    if (typeof body === 'string') output.end();
    else await sendAndRecord(body, output, logFields(event));
  },
);

/** Reads the first page before the response starts, so that a failing table is answered with 503. */
async function listOrders(
  event: APIGatewayProxyEvent,
  signal: AbortSignal,
): Promise<ApiResponse<OrdersList>> {
  const isGzip = prefersGzip(header(event, 'accept-encoding'));
  const pages = await startScan(readPage, signal);

  return { statusCode: 200, headers: listHeaders(isGzip), body: { pages, isGzip } };
}

/**
 * Whether the response is to be compressed: the client accepts gzip and gives it no lower weight
 * than `identity`. Without the header it is not, because the client may be unable to decompress.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
 */
function prefersGzip(acceptEncoding: string | undefined): boolean {
  const weights = codingWeights(acceptEncoding ?? '');
  const any = weights.get('*');
  const gzip = weights.get('gzip') ?? weights.get('x-gzip') ?? any ?? 0;
  // A list without "identity" accepts it, but does not prefer it to gzip.
  const identity = weights.get('identity') ?? 0;
  return gzip > 0 && gzip >= identity;
}

const coding = /^([^\s;,]+)\s*(?:;\s*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?$/;

/** The weight of each coding in the list, without the elements that do not follow the grammar. */
function codingWeights(list: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const element of list.toLowerCase().split(',')) {
    const match = coding.exec(element.trim());
    if (match?.[1]) weights.set(match[1], Number(match[2] ?? 1));
  }
  return weights;
}

function listHeaders(isGzip: boolean): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    Vary: 'Accept-Encoding',
    ...(isGzip && { 'Content-Encoding': 'gzip' }),
  };
}

/**
 * Sends a list, and records how it ended. A slow reader is its client's fault, so it is not counted in
 * `ListsBrokenOff`, which rolls a deployment back.
 *
 * @throws the error that ended the list; Lambda's runtime reports the invocation as failed
 */
async function sendAndRecord(list: OrdersList, output: Writable, fields: LogFields): Promise<void> {
  const totals = { orders: 0, bytes: 0, unlisted: 0, unlistedIds: [] };
  const record = (isComplete: boolean, ListsBrokenOff: 0 | 1) => {
    const { orders: OrdersListed, bytes: BytesStreamed, unlisted: UnlistedItems } = totals;
    const metrics = { OrdersListed, BytesStreamed, UnlistedItems, ListsBrokenOff };
    const { unlistedIds } = totals;
    recordMetrics(metrics, { ...fields, isComplete, ...(UnlistedItems > 0 && { unlistedIds }) });
  };
  try {
    await sendList(list, output, totals);
    record(true, 0);
  } catch (error) {
    const isSlowReader = error instanceof SlowReaderError;
    record(false, isSlowReader ? 0 : 1);
    if (isSlowReader) log.warn('A slow client was cut off', fields);
    else log.error('The list broke off', error, fields);
    throw error;
  }
}
