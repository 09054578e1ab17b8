import { once } from 'node:events';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect, it, jest } from '@jest/globals';
import { refused, throttled, unanswered } from '../helpers/dynamodb/dynamodb-proxy.ts';
import { keyId } from '../helpers/dynamodb/key-items.ts';
import { orderItem, orderItems, parseExactly } from '../helpers/dynamodb/orders.ts';
import { scanOf } from '../helpers/dynamodb/scanned-table.ts';
import { fastForward } from '../helpers/fast-forward.ts';
import { LambdaStream } from '../helpers/functions/awslambda.ts';
import {
  commonHeaders,
  lambdaContext,
  proxyEvent,
  requestId,
} from '../helpers/functions/events.ts';
import { functionUnderTest } from '../helpers/functions/function-under-test.ts';

type Handler = (event: unknown, stream: LambdaStream, context: unknown) => Promise<void>;

const { table, log, handler, expectDocumented } = await functionUnderTest<Handler>('list-orders');

describe('GET /store/orders', () => {
  it('R8: returns all orders placed in the store, with the headers of the key, and records their number', async () => {
    table.reply = scanOf({ items: orderItems(1_000), ordersPerPage: 100 });

    const answer = await list();

    const ids = (parseExactly(answer.body.toString()) as { id: string }[]).map(({ id }) => id);
    expect(ids).toHaveLength(1_000);
    expect(new Set(ids).size).toBe(1_000);
    expect(answer.prelude).toEqual({
      statusCode: 200,
      headers: {
        'Content-Type': 'application/json',
        Vary: 'Accept-Encoding',
        ...commonHeaders,
      },
    });
    expect(log.lines()).toEqual([
      expect.objectContaining({
        OrdersListed: 1_000,
        BytesStreamed: answer.body.length,
        UnlistedItems: 0,
        ListsBrokenOff: 0,
        isComplete: true,
        requestId,
        keyId,
      }),
    ]);
  });

  it('I1: leaves out items whose id is not an int64, counts them, and logs the first 100 ids', async () => {
    const unlistedIds = Array.from({ length: 120 }, (_, index) => `${index}.5`);
    const ids = ['1', ...unlistedIds, '2'];
    table.reply = scanOf({ items: ids.map((id) => orderItem(id)), ordersPerPage: 50 });

    const answer = await list();

    expect(parseExactly(answer.body.toString())).toMatchObject([
      { id: 'number 1' },
      { id: 'number 2' },
    ]);
    const [line] = log.lines();
    expect(line!.UnlistedItems).toBe(120);
    expect(new Set(line!.unlistedIds as string[]).size).toBe(100);
  });

  it.each([
    ['br;q=1, gzip;q=0.8', 'gzip', gunzipSync],
    ['gzip, deflate, br, zstd', 'zstd', zstdDecompressSync],
  ])('compresses the list for a client that accepts %s', async (accepted, coding, decompress) => {
    table.reply = scanOf({ items: orderItems(2_000), ordersPerPage: 500 });

    const answer = await list({ 'accept-ENCODING': accepted });

    expect(answer.prelude?.headers).toMatchObject({
      'Content-Encoding': coding,
      Vary: 'Accept-Encoding',
    });
    expect(JSON.parse(decompress(answer.body).toString())).toHaveLength(2_000);
    expect(answer.body.length).toBeLessThan(40_000);
    // RFC 1952, section 2.3.1: XFL is 4 if the fastest algorithm was used.
    if (coding === 'gzip') expect(answer.body[8]).toBe(4);
    expect(log.lines()).toMatchObject([{ OrdersListed: 2_000, BytesStreamed: answer.body.length }]);
  });

  it.each([
    [
      'zstd',
      'zstd|ZSTD|gzip, deflate, br, zstd|zstd, gzip|zstd;q=0.001|zstd;q=1.000|zstd ; q=0.5|zstd;Q=0.5|zstd, identity|' +
        'zstd, *|zstd;q=0.5, gzip;q=0.5|zstd;q=0.5, gzip;q=0.4, identity;q=0.5|zstd;q=0.8, br;q=1|zstd;q=0.2, *;q=0.1|' +
        'zstd, x-gzip|zstd, gzip;q=0|zstd, identity;q=0|gzip;q=2, zstd|deflate, , zstd',
    ],
    [
      'gzip',
      'gzip|x-gzip|X-GZIP|*|gzip;q=1|gzip;q=1.000|gzip;q=0.001|gzip ; q=0.5|gzip;Q=0.5|deflate, , gzip|' +
        'br;q=1.0, gzip;q=0.8, *;q=0.1|identity;q=0.5, gzip;q=0.5|gzip, zstd;q=0.9|gzip, zstd;q=0|gzip, zstd;q=2|' +
        'gzip, zstd;level=1|zstd;q=0, *|*, zstd;q=0.5|gzip;q=0.5, zstd;q=0.499|gzip, zstdx|zstd;q=0.1, *;q=0.5',
    ],
    [
      undefined,
      '|identity|br|br gzip|gzip;q=0|gzip;q=0, *|identity, gzip;q=0.5|identity;q=0.9, *;q=0.1|gzip;q=2|gzip;q=|' +
        'gzip;level=1|gzipped|zstd;q=0|identity, zstd;q=0.9|identity, zstd;q=0.9, gzip;q=0.9|zstd;q=|zstd;q=1.5|' +
        'br zstd|zst|zstandard|*;q=0|gzip;q=0, zstd;q=0, *|gzip;q=0.1, *;q=0.5',
    ],
  ])('sends %s for the Accept-Encoding that asks for it', async (coding, accepted) => {
    const found: Record<string, unknown> = {};
    const expected: Record<string, unknown> = {};
    for (const value of accepted.split('|')) {
      table.reply = scanOf({ items: [] });
      const { prelude } = await list({ 'Accept-Encoding': value });
      found[value] = prelude?.headers['Content-Encoding'];
      expected[value] = coding;
    }

    expect(found).toEqual(expected);
  });

  it('R9: has no filter and no pagination: every query leads to the same request', async () => {
    table.reply = scanOf({ items: orderItems(3) });
    const query = { id: '1', status: '1', petId: '1', complete: '1', limit: '1', cursor: '1' };

    await list();
    const answer = await list({}, query);

    expect(JSON.parse(answer.body.toString())).toHaveLength(3);
    const [plain, queried] = table.requests;
    expect(queried).toEqual(plain);
  });
});

it.each([
  ['is refused', 'bytes=1-|bytes=5000000-|bytes=007-9|Bytes=100-, 200-300|bytes=-5'],
  ['gets the whole list', 'bytes=0-|bytes=0-499|bytes=00-|bytes=|bytes=x|items=5-|xbytes=5-'],
])('I12: A request %s if it has one of these Ranges: %s', async (outcome, ranges) => {
  table.reply = scanOf({ items: orderItems(3) });

  for (const Range of ranges.split('|')) {
    const { prelude, body } = await list({ Range });

    const isRefused = outcome === 'is refused';
    expect([Range, prelude?.statusCode]).toEqual([Range, isRefused ? 400 : 200]);
    const expected = isRefused ? { code: 'range_not_supported' } : { length: 3 };
    expect(JSON.parse(body.toString())).toMatchObject(expected);
  }
  expect(table.requests).toHaveLength(outcome === 'is refused' ? 0 : 7);
});

describe('a list whose first page fails', () => {
  it.each([
    ['throttles every request', throttled],
    ['cannot be reached', unanswered],
  ])(
    'is answered with 503 within seconds, with Retry-After, when the table %s',
    async (_, reply) => {
      table.reply = reply;

      const { result, elapsedMs } = await fastForward(() => list());

      expect(result.prelude).toMatchObject({
        statusCode: 503,
        headers: { 'Retry-After': '1', 'X-RateLimit-Limit': '60' },
      });
      expect(table.requests).toHaveLength(5);
      expect(elapsedMs).toBeLessThan(18_000);
    },
  );

  it('is answered with 504 just before the timeout, and nothing is read afterwards', async () => {
    table.reply = unanswered;
    const stream = new LambdaStream();

    // Middy's own timer is a real timer, and is due at once.
    await fastForward(async () => {
      await handler(proxyEvent(), stream, lambdaContext(201));
      await new Promise((resolve) => setTimeout(resolve, 5_000));
    });

    expect(stream.prelude?.statusCode).toBe(504);
    expect(table.requests.length).toBeLessThan(2);
  });
});

it('A list that fails after its first page rejects, so that Lambda breaks the connection, and leaves the client with invalid JSON', async () => {
  table.reply = scanOf({ items: orderItems(500), ordersPerPage: 100 });
  table.next[3] = refused;
  const stream = new LambdaStream();

  await expect(handler(proxyEvent(), stream, lambdaContext())).rejects.toThrow();

  // The stream is not destroyed, because Lambda's runtime takes an error of its stream for a crash.
  expect([stream.writableEnded, stream.destroyed]).toEqual([false, false]);
  expect(stream.prelude?.statusCode).toBe(200);
  expect(() => JSON.parse(stream.body.toString())).toThrow(SyntaxError);
  expect(log.text()).toContain('ValidationException');
  expect(log.lines()).toMatchObject([
    { isComplete: false, ListsBrokenOff: 1 },
    { level: 'ERROR', message: 'The list broke off' },
  ]);
});

it('A client that has not read its list before the timeout is cut off, and no work remains', async () => {
  table.reply = scanOf({ items: orderItems(5_000), ordersPerPage: 250 });
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  const stream = new LambdaStream(() => 1e9);

  const answered = handler(proxyEvent(), stream, lambdaContext(9_000));
  answered.catch(() => {});
  while (stream.writableLength === 0) await new Promise((resolve) => setImmediate(resolve));
  jest.advanceTimersByTime(4_000);
  jest.useRealTimers();

  await expect(answered).rejects.toThrow('The list was not sent within 4000 ms.');
  await table.isAtRest();
  expect(stream.destroyed).toBe(true);
  expect(table.requests.length).toBeLessThan(12);
  expect(log.lines()).toEqual([
    expect.objectContaining({ isComplete: false, ListsBrokenOff: 0, requestId, keyId }),
    expect.objectContaining({ level: 'WARN', message: 'A slow client was cut off' }),
  ]);
});

/** Requests the list. Every response is compared with the contract, unless it is compressed. */
async function list(
  headers: object = {},
  queryStringParameters: object | null = null,
): Promise<LambdaStream> {
  const event = proxyEvent({ headers, queryStringParameters });
  const answer = new LambdaStream();
  const finished = once(answer, 'finish');
  await handler(event, answer, lambdaContext());
  await finished;
  const isCompressed = answer.prelude?.headers['Content-Encoding'] !== undefined;
  if (!isCompressed) expectDocumented({ ...answer.prelude!, body: answer.body.toString() });
  return answer;
}
