import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect, it, jest } from '@jest/globals';
import { expectDocumented } from '../contract/documented.ts';
import { refused, throttled, unanswered, unreadable } from '../helpers/dynamodb/dynamodb-proxy.ts';
import { keyId } from '../helpers/dynamodb/key-items.ts';
import { orderItem, orderItems, parseExactly } from '../helpers/dynamodb/orders.ts';
import { type ScannedTable, scanOf } from '../helpers/dynamodb/scanned-table.ts';
import { fastForward } from '../helpers/fast-forward.ts';
import { LambdaStream, streamed } from '../helpers/functions/awslambda.ts';
import {
  commonHeaders,
  lambdaContext,
  proxyEvent,
  requestId,
} from '../helpers/functions/events.ts';
import { functionUnderTest } from '../helpers/functions/function-under-test.ts';

type Handler = (event: unknown, stream: LambdaStream, context: unknown) => Promise<void>;

const { table, log, handler } = await functionUnderTest<Handler>('list-orders');

describe('GET /store/orders', () => {
  it('R8: returns all orders placed in the store, as JSON with the headers of the key', async () => {
    fillTable({ items: orderItems(1_000), ordersPerPage: 100, chunkBytes: 4_096 });

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
  });

  it('I1: leaves out an item whose id is not an int64, counts it once, and logs its id', async () => {
    const ids = ['1', '1.5', '9223372036854775808', '2'];
    fillTable({ items: ids.map((id) => orderItem(id)), ordersPerPage: 3 });

    const answer = await list();

    expect(parseExactly(answer.body.toString())).toMatchObject([
      { id: 'number 1' },
      { id: 'number 2' },
    ]);
    expect(log.lines()).toMatchObject([{ UnlistedItems: 2, unlistedIds: ids.slice(1, 3) }]);
  });

  it.each([
    ['br;q=1, gzip;q=0.8', 'gzip', gunzipSync],
    ['gzip, deflate, br, zstd', 'zstd', zstdDecompressSync],
  ])('compresses the list for a client that accepts %s', async (accepted, coding, decompress) => {
    fillTable({ items: orderItems(2_000), ordersPerPage: 500 });

    const answer = await list({ 'accept-ENCODING': accepted });

    expect(answer.prelude?.headers).toMatchObject({
      'Content-Encoding': coding,
      Vary: 'Accept-Encoding',
    });
    expect(answer.body.length).toBeLessThan(40_000);
    expect(JSON.parse(decompress(answer.body).toString())).toHaveLength(2_000);
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
      fillTable({ items: [] });
      const { prelude } = await list({ 'Accept-Encoding': value });
      found[value] = prelude?.headers['Content-Encoding'];
      expected[value] = coding;
    }

    expect(found).toEqual(expected);
  });

  it('R9: has no filter and no pagination: every query leads to the same request', async () => {
    fillTable({ items: orderItems(3) });
    const names = [
      'id',
      'status',
      'petId',
      'complete',
      'limit',
      'page',
      'cursor',
      'fields',
      'sort',
    ];

    await list();
    const answer = await list({}, Object.fromEntries(names.map((name) => [name, '1'])));

    expect(JSON.parse(answer.body.toString())).toHaveLength(3);
    const [plain, queried] = table.requests;
    expect(queried).toEqual(plain);
  });

  it('records the numbers of orders and bytes that it sent', async () => {
    fillTable({ items: orderItems(300), ordersPerPage: 100 });

    const answer = await list();

    expect(log.lines()).toEqual([
      expect.objectContaining({
        OrdersListed: 300,
        BytesStreamed: answer.body.length,
        UnlistedItems: 0,
        ListsBrokenOff: 0,
        isComplete: true,
        requestId,
        keyId,
      }),
    ]);
  });
});

describe('a request with a Range', () => {
  it.each(['bytes=1-', 'bytes=5000000-', 'bytes=007-9', 'Bytes=100-, 200-300', 'bytes=-5'])(
    'I12: is refused with 400, and nothing is read, if it resumes a list: %s',
    async (range) => {
      const { prelude, body } = await list({ Range: range });

      expect(prelude).toMatchObject({ statusCode: 400, headers: commonHeaders });
      expect(JSON.parse(body.toString())).toMatchObject({
        code: 'range_not_supported',
        status: 400,
      });
      expect(table.requests).toEqual([]);
    },
  );

  it.each(['bytes=0-', 'bytes=0-499', 'bytes=00-', 'bytes=', 'bytes=x', 'items=5-', 'xbytes=5-'])(
    'I12: gets the whole list for any other: %s',
    async (range) => {
      fillTable({ items: orderItems(3) });

      const { prelude, body } = await list({ Range: range });

      expect(prelude?.statusCode).toBe(200);
      expect(JSON.parse(body.toString())).toHaveLength(3);
    },
  );
});

describe('a list whose first page fails', () => {
  it.each([
    ['is throttled', throttled],
    ['sends unreadable responses', unreadable],
  ])('is answered with 503 and Retry-After when the table %s every time', async (_name, reply) => {
    fillTable({ items: [] });
    table.reply = reply;

    const answer = await list();

    expect(answer.prelude).toMatchObject({
      statusCode: 503,
      headers: { 'Retry-After': '1', 'X-RateLimit-Limit': '60' },
    });
    expect(JSON.parse(answer.body.toString())).toMatchObject({
      code: 'service_unavailable',
      status: 503,
    });
    expect(table.requests).toHaveLength(5);
  });

  it('is answered with 503 within seconds when the table cannot be reached', async () => {
    table.reply = unanswered;

    const { result, elapsedMs } = await fastForward(() => list());

    expect(result.prelude?.statusCode).toBe(503);
    expect(table.requests).toHaveLength(5);
    expect(elapsedMs).toBeLessThan(18_000);
  });

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

describe('a list that fails after its first page', () => {
  it('rejects, so that Lambda breaks the connection, and leaves the client with invalid JSON', async () => {
    fillTable({ items: orderItems(500), ordersPerPage: 100 });
    table.next[3] = refused;
    const stream = new LambdaStream();

    await expect(handler(proxyEvent(), stream, lambdaContext())).rejects.toThrow();

    // Lambda's runtime takes an error of its stream for a crash.
    expect([stream.writableEnded, stream.destroyed]).toEqual([false, false]);
    expect(stream.prelude?.statusCode).toBe(200);
    expect(() => JSON.parse(stream.body.toString())).toThrow(SyntaxError);
    expect(log.text()).toContain('ValidationException');
    expect(log.lines()).toMatchObject([
      { isComplete: false, ListsBrokenOff: 1 },
      { level: 'ERROR', message: 'The list broke off' },
    ]);
  });
});

describe('a client of a list', () => {
  it.each([
    ['reads nothing', 120_000, 7_000, 'A client has to read 230000 bytes a second.'],
    ['has not read it before the timeout', 9_000, 4_000, 'The list was not sent within 4000 ms.'],
  ])(
    'is cut off if it %s, and no work remains',
    async (_what, remainingMs, endsAfterMs, message) => {
      fillTable({ items: orderItems(5_000), ordersPerPage: 250 });
      jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
      const stream = new LambdaStream();
      stream.hold();

      const answered = handler(proxyEvent(), stream, lambdaContext(remainingMs));
      answered.catch(() => {});
      while (stream.writableLength === 0) await new Promise((resolve) => setImmediate(resolve));
      jest.advanceTimersByTime(endsAfterMs);
      jest.useRealTimers();

      await expect(answered).rejects.toThrow(message);
      await table.isIdle();
      expect(stream.destroyed).toBe(true);
      expect(table.requests.length).toBeLessThan(12);
      expect(log.lines()).toEqual([
        expect.objectContaining({ isComplete: false, ListsBrokenOff: 0, requestId, keyId }),
        expect.objectContaining({ level: 'WARN', message: 'A slow client was cut off' }),
      ]);
    },
  );
});

function fillTable(scanned: ScannedTable): void {
  table.reply = scanOf(scanned);
}

/** Requests the list. Every response is compared with the contract, unless it is compressed. */
async function list(
  headers: object = {},
  queryStringParameters: object | null = null,
): Promise<LambdaStream> {
  const event = proxyEvent({ headers, queryStringParameters });
  const answer = await streamed((stream) => handler(event, stream, lambdaContext()));
  const isCompressed = answer.prelude?.headers['Content-Encoding'] !== undefined;
  if (!isCompressed) expectDocumented('listOrders', answer.prelude!, answer.body.toString());
  return answer;
}
