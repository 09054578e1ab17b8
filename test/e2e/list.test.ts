import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createGunzip } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { orderFieldNames } from '../../lambdas/shared/order-fields.ts';
import {
  type EmbeddedDynamoDB,
  startEmbeddedDynamoDB,
} from '../../tools/local/dynamodb/embedded-dynamodb.ts';
import type { Answer } from '../../tools/smoke/stage/http-client.ts';
import { splitArray } from '../helpers/dynamodb/orders.ts';
import { preloadingTemplate } from '../helpers/functions/preloaded-functions.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../helpers/temporary-directory.ts';
import { expectError, headerOf, RunningStore, rateLimitOf } from './running-store.ts';
import {
  cannedPage,
  endless,
  type ScanCall,
  type ScanEndpoint,
  scanEndpoint,
} from './scan-endpoint.ts';

// A long list can take long on a machine under load.
jest.setTimeout(120_000);

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

let directory: TemporaryDirectory;
let dynamodb: EmbeddedDynamoDB;
let endpoint: ScanEndpoint;
/** A store with the embedded DynamoDB, but for scans that a test has answered by the endpoint. */
let store: RunningStore;
let key: string;

beforeAll(async () => {
  dynamodb = await startEmbeddedDynamoDB();
  endpoint = await scanEndpoint(dynamodb.endpoint);
  directory = temporaryDirectory();
  const observed = preloadingTemplate(
    'staging',
    join(import.meta.dirname, 'observed-function.cjs'),
  );
  store = await RunningStore.start({
    templateFile: directory.write('template.json', observed),
    dynamodbEndpoint: endpoint.url,
    dataEndpoint: dynamodb.endpoint,
  });
  key = (await store.issue()).apiKey;
});

beforeEach(() => {
  endpoint.reset();
  store.lines.length = 0;
});

afterAll(async () => {
  await store?.[Symbol.asyncDispose]();
  await endpoint?.[Symbol.asyncDispose]();
  await dynamodb?.close();
  directory?.remove();
});

const open = (headers: Record<string, string> = {}, path = '/store/orders') =>
  store.client.send({
    method: 'GET',
    path,
    headers: { authorization: `Bearer ${key}`, ...headers },
  });

type ListAnswer = Awaited<ReturnType<typeof open>>;

/** The bytes that one page of the canned scans becomes in the answer. */
const bytesPerPage = 504_000;

/**
 * The buffers of the system between the service and its client hold up to 36 MB, of which a busy
 * machine decides how much is used. Beyond them, a client that takes nothing has to stop the scan.
 */
const mostPagesAhead = 200;

/**
 * Resolves when the number of scans has stopped growing: other requests, which take longer the busier
 * the machine is, are answered meanwhile, and no scan is made.
 *
 * @param takenBytes returns what the client has taken of the list
 * @throws when the scan has left its client behind, or has lost it, because it then never rests
 */
async function scansAtRest(body: Readable, takenBytes: () => number): Promise<number> {
  for (;;) {
    const seen = endpoint.scans;
    for (let asked = 0; asked < 8; asked++) {
      await store.call('GET', '/pets/1', { token: key });
      expect(body.destroyed ? 'disconnected' : 'connected').toBe('connected');
      expect(endpoint.scans - takenBytes() / bytesPerPage).toBeLessThan(mostPagesAhead);
    }
    if (endpoint.scans === seen) return seen;
  }
}

/** Lets a client go on until the table has been asked for so many pages more. */
function resumeFor(body: Readable, pages: number): Promise<void> {
  const { onScan } = endpoint;
  const last = endpoint.scans + pages;
  return new Promise((resolve) => {
    endpoint.onScan = (call) => {
      onScan(call);
      if (call.number < last) return;
      body.pause();
      endpoint.onScan = onScan;
      resolve();
    };
    body.resume();
  });
}

/** The memory of this thread that is in use, without the system's buffers. */
function heldBytes(): number {
  collectGarbage();
  // The buffers that one collection has found are freed by the next at the latest.
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/**
 * Resolves with the number of orders when a function has ended this list. The line of the list before it
 * can be late.
 */
async function listed({ headers }: ListAnswer): Promise<number> {
  const requestId = headerOf({ headers }, 'x-amzn-requestid');
  for (;;) {
    const line = store.lines.find(
      (each) => each.includes(requestId) && each.includes('OrdersListed'),
    );
    const [, orders] = /"OrdersListed":(\d+)/.exec(line ?? '') ?? [];
    if (orders) return Number(orders);
    await sleep(10);
  }
}

/** Disconnects, and waits until the list, which continues without its client, has ended. */
async function leave(answer: ListAnswer): Promise<void> {
  answer.body.destroy();
  endpoint.onScan = ({ answer }) => answer.end('{"Items":[],"Count":0}');
  await listed(answer);
}

describe('a list from the embedded DynamoDB', () => {
  const ids = [
    '0',
    '-1',
    '9007199254740993',
    '9223372036854775807',
    '-9223372036854775808',
    ...Array.from({ length: 400 }, (_, index) => String(1_000_000 + index)),
  ];

  beforeEach(() => {
    endpoint.onScan = ({ forward }) => forward();
  });

  it('R8: is an empty array where there is no order', async () => {
    const { status, text: body } = await store.list(key);

    expect([status, body]).toEqual([200, '[]']);
  });

  it('R8, I2: has all orders, digit for digit, of many pages and of every status', async () => {
    const statuses = ['pending', 'shipped', 'cancelled', 'returned'];
    // A page of a scan contains 1 MB of items, including attributes that are not requested.
    const note = 'x'.repeat(8_000);
    await store.putOrders(ids.map((id, index) => ({ id, status: statuses[index % 4]!, note })));

    const answer = await open();

    const body = await text(answer.body);
    expect(headerOf(answer, 'content-type')).toBe('application/json');
    // R11 does not specify an order.
    expect(idsIn(body) === ids.toSorted().join()).toBe(true);
    const orders: object[] = JSON.parse(body);
    const shapes = new Set(orders.map((order) => Object.keys(order).join()));
    expect([...shapes]).toEqual([orderFieldNames.join()]);
    expect(orders[0]).toMatchObject({ petId: 7, quantity: 2, complete: false });
  });

  it('R9, I9: knows no filter and no page: parameters change nothing', async () => {
    const path = '/store/orders?limit=1&page=2&status=pending&cursor=x&id=0';
    const answer = await open({}, path);

    expect(splitArray(await text(answer.body))).toHaveLength(ids.length);
    expect(answer.headers.has('link')).toBe(false);
  });

  it('R11: has the same orders whenever it is read, in whatever order', async () => {
    const bodies = await Promise.all([1, 2].map(async () => text((await open()).body)));

    const [first, second] = bodies.map(idsIn);
    expect(first === second).toBe(true);
  });

  it('is gzipped for a client that accepts it, with the same content', async () => {
    const headers = { 'accept-encoding': 'br;q=1, gzip;q=0.5' };
    const [plain, zipped] = await Promise.all([open(), open(headers)]);
    const body = await text(zipped.body.pipe(createGunzip()));

    expect(headerOf(zipped, 'content-encoding')).toBe('gzip');
    expect(idsIn(body) === idsIn(await text(plain.body))).toBe(true);
    expect(plain.headers.has('content-encoding')).toBe(false);
    for (const answer of [plain, zipped]) {
      expect(headerOf(answer, 'vary')).toBe('Accept-Encoding');
      expect(rateLimitOf(answer).limit).toBe(60_000);
    }
  });
});

describe('a list of 105,000 orders', () => {
  it('R10: is one request and valid JSON, beyond what an answer that is not streamed can hold', async () => {
    endpoint.orders = 105_000;

    const answer = await open();
    const body = await text(answer.body);

    const orders: { id: number }[] = JSON.parse(body);
    expect(answer.status).toBe(200);
    expect(body.length).toBeGreaterThan(10 * 2 ** 20);
    expect(new Set(orders.map(({ id }) => id)).size).toBe(105_000);
    expect(orders).toHaveLength(105_000);
  });
});

describe('a list without end', () => {
  const page = cannedPage();

  beforeEach(() => {
    endpoint.orders = endless;
    endpoint.onScan = ({ number, page: first, answer }) =>
      number === 1 ? first() : answer.end(page);
  });

  it('holds no more memory however long it gets', async () => {
    const reported = [20, 50];
    const heldHere: number[] = [];
    endpoint.onScan = ({ number, page: first, answer }) => {
      if (number === 1) return first();
      if (reported.includes(number)) {
        heldHere.push(heldBytes());
        answer.setHeader('x-amz-test-report-memory', 'yes');
      }
      answer.end(page);
    };
    const heldInFunction = () =>
      store.lines.flatMap((line) => /held bytes: (\d+)/.exec(line)?.[1] ?? []).map(Number);

    const list = await open();
    for await (const _ of list.body) if (heldInFunction().length === reported.length) break;
    await leave(list);

    // Thirty pages are 15 MB in the answer, and twice as much in DynamoDB's format.
    for (const [early = 0, late = 0] of [heldHere, heldInFunction()]) {
      expect(late - early).toBeLessThan(10e6);
    }
  });

  it('waits for a slow client, and goes on when the client does', async () => {
    let takenBytes = 0;
    const list = await open();
    const { body } = list;
    body.on('data', (chunk) => {
      takenBytes += chunk.length;
    });
    body.pause();

    const paused = await scansAtRest(body, () => takenBytes);
    await resumeFor(body, 20);
    const pausedAgain = await scansAtRest(body, () => takenBytes);
    await leave(list);

    expect(pausedAgain).toBeGreaterThanOrEqual(paused + 20);
  });
});

/** Twelve pages, which are smaller than in DynamoDB: here the number of pages matters alone. */
const shortTable = { orders: 3_600, ordersPerPage: 300 };

describe('a list whose client goes away half-way', () => {
  it.each([
    ['plain', {}],
    ['gzipped', { 'accept-encoding': 'gzip' }],
  ])('goes on to its end, as it does on Lambda: %s', async (_, headers) => {
    Object.assign(endpoint, shortTable);
    const half = Promise.withResolvers<ScanCall['page']>();
    endpoint.onScan = ({ number, page }) => (number === 8 ? half.resolve(page) : page());
    const list = await open(headers);
    list.body.resume();
    const answerEighth = await half.promise;

    list.body.destroy();
    answerEighth();

    expect(await listed(list)).toBe(shortTable.orders);
    // The first page is read twice.
    expect(endpoint.scans).toBe(1 + 12);
  });
});

describe('a list whose table fails', () => {
  beforeEach(() => {
    Object.assign(endpoint, shortTable);
  });

  const failures: [string, (answer: ServerResponse) => void][] = [
    ['breaks the connection', (answer) => answer.destroy()],
    ['answers 500', (answer) => answer.writeHead(500).end('{}')],
    [
      'breaks off in the middle of a page',
      (answer) => {
        answer.writeHead(200, { 'content-length': 1_000 });
        answer.write('{"Items":[{"id":{"N":"1"', () => answer.destroy());
      },
    ],
  ];

  it('once is complete, because the request is sent again', async () => {
    endpoint.onScan = ({ number, page, answer }) => (number === 4 ? answer.destroy() : page());

    const body = await text((await open()).body);

    expect(new Set(splitArray(body)).size).toBe(shortTable.orders);
  });

  it.each(failures)(
    'I12: midway is broken off, and no valid JSON: the table %s',
    async (_, fail) => {
      endpoint.onScan = ({ number, page, answer }) => (number > 5 ? fail(answer) : page());

      const answer = await open();
      const [received, error] = await readUntilBroken(answer);

      expect(answer.status).toBe(200);
      expect(error).toBeDefined();
      expect(received).toMatch(/^\[\{"/);
      expect(() => JSON.parse(received)).toThrow(SyntaxError);
    },
  );

  it.each(failures)('at once is answered 503: the table %s', async (_, fail) => {
    endpoint.onScan = ({ answer }) => fail(answer);

    const answer = await store.list(key);

    expectError(answer, 503, 'service_unavailable');
    expect(headerOf(answer, 'retry-after')).toBe('1');
    expect(rateLimitOf(answer).limit).toBe(60_000);
  });
});

async function readUntilBroken({ body }: Answer): Promise<[string, unknown]> {
  let received = '';
  body.setEncoding('utf8');
  try {
    for await (const chunk of body) received += chunk;
  } catch (error) {
    return [received, error];
  }
  return [received, undefined];
}

/** The digits of an order's id. Parsing the JSON would round them. */
function idOf(order: string): string {
  return /"id":(-?\d+)/.exec(order)?.[1] ?? `none in ${order}`;
}

/** All ids, sorted and as one text, because a diff of two long lists would not be readable. */
function idsIn(body: string): string {
  return splitArray(body).map(idOf).sort().join();
}
