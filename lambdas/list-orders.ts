import type { Writable } from 'node:stream';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ApiError } from './contract/errors.ts';
import { type ApiResponse, apiHandler, logFields } from './http/api-handler.ts';
import { header } from './http/headers.ts';
import { pageReader, startScan } from './orders/orders-pages.ts';
import { type Coding, type OrdersList, SlowReaderError, sendList } from './orders/send-list.ts';
import { createDynamoDbClient } from './runtime/dynamodb.ts';
import { requiredVariable } from './runtime/environment.ts';
import { type LogFields, log } from './runtime/log.ts';
import { recordMetrics } from './runtime/metrics.ts';

// The time limit is longer than for a single item, because up to four requests for a megabyte run at once. The number
// of attempts is higher, because a list that has begun can no longer be answered with 503.
const dynamodb = createDynamoDbClient({ maxAttempts: 5, requestTimeoutMs: 3_000 });
const readPage = pageReader(dynamodb, requiredVariable('ORDERS_TABLE'));

/** Prepares the status and the headers, and a list to stream or the body of an error. */
const respond = apiHandler(listOrders);

/**
 * `GET /store/orders`: streams every order in one JSON array while the table is being read. Middy's streaming mode is
 * not used, because it destroys Lambda's stream when the list fails. `sendList` says why this must not happen.
 */
export const handler = awslambda.streamifyResponse(
  async (event: APIGatewayProxyEvent, lambdaStream, context) => {
    const { body, ...head } = (await respond(event, context)) as ApiResponse<OrdersList | string>;
    const output = awslambda.HttpResponseStream.from(lambdaStream, head);
    // This write is needed even if the body is empty, because Lambda sends the status and the headers with the first
    // write, and not with `end`.
    output.write(typeof body === 'string' ? body : '');
    if (typeof body === 'string') output.end();
    else await sendAndRecord(body, output, context.getRemainingTimeInMillis(), logFields(event));
  },
);

/** Reads the first page before the response starts, so that the response is 503 if the table fails. */
async function listOrders(
  event: APIGatewayProxyEvent,
  signal: AbortSignal,
): Promise<ApiResponse<OrdersList>> {
  if (resumption.test(header(event, 'range') ?? '')) throw new ApiError('range_not_supported');
  const coding = chosenCoding(header(event, 'accept-encoding'));
  const pages = await startScan(readPage, signal);
  const headers = {
    'Content-Type': 'application/json',
    Vary: 'Accept-Encoding',
    ...(coding && { 'Content-Encoding': coding }),
  };
  return { statusCode: 200, headers, body: { pages, coding } };
}

/**
 * A `Range` that does not begin at the first byte. A program sends such a header to resume a list that broke off. The
 * program may append the response to its orders even if the status is not 206. Any other `Range` is ignored.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-14.2
 */
const resumption = /^bytes=\s*(?:-\d|0*[1-9]\d*-)/i;

const weightedCoding = /^([^\s;,]+)\s*(?:;\s*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?$/;

/**
 * The coding of the response; undefined for none. The client accepts this coding, and does not give `identity` a
 * higher weight. Without the header, the response is not compressed, because the client may be unable to decompress
 * it. For the same reason, `*` does not stand for zstd, which is younger than many clients.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
 */
function chosenCoding(acceptEncoding = ''): Coding | undefined {
  const elements = acceptEncoding.toLowerCase().split(',');
  // An element that does not follow the grammar is ignored.
  const matches = elements.map((element) => weightedCoding.exec(element.trim()) ?? []);
  const weights = new Map(matches.map(([, name, weight = 1]) => [name, Number(weight)]));
  const gzip = weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0;
  const zstd = weights.get('zstd') ?? 0;
  // A header that does not weight "identity" accepts an uncompressed response, but does not prefer it.
  const identity = weights.get('identity') ?? weights.get('*') ?? 0;
  // Node 24 calls its zstd experimental. To switch it off, remove this line.
  if (zstd > 0 && zstd >= Math.max(gzip, identity)) return 'zstd';
  return gzip > 0 && gzip >= identity ? 'gzip' : undefined;
}

/** The time before the function's timeout at which every list ends, so that its end is recorded. */
const reservedMs = 5_000;

/**
 * Sends a list, and records how it ended. A list that broke off because its client read too slowly is not counted in
 * `ListsBrokenOff`, which rolls a deployment back.
 *
 * @throws the error that ended the list; Lambda's runtime reports the invocation as failed
 */
async function sendAndRecord(
  list: OrdersList,
  output: Writable,
  remainingMs: number,
  fields: LogFields,
): Promise<void> {
  const totals = { OrdersListed: 0, BytesStreamed: 0, UnlistedItems: 0, unlistedIds: [] };
  const record = (isComplete: boolean, brokenOff: 0 | 1) => {
    const { unlistedIds, ...counts } = totals;
    const values = { ...counts, ListsBrokenOff: brokenOff };
    recordMetrics(values, { ...fields, isComplete, unlistedIds });
  };
  try {
    await sendList(list, output, totals, remainingMs - reservedMs);
    record(true, 0);
  } catch (error) {
    const isSlowReader = error instanceof SlowReaderError;
    record(false, isSlowReader ? 0 : 1);
    if (isSlowReader) log.warn('A slow client was cut off', fields);
    else log.error('The list broke off', error, fields);
    throw error;
  }
}
