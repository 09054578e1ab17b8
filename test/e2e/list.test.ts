import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { orderFieldNames } from '../../lambdas/shared/order-fields.ts';
import {
  type EmbeddedDynamoDB,
  startEmbeddedDynamoDB,
} from '../../local/dynamodb/embedded-dynamodb.ts';
import type { Answer } from '../../smoke/stage/http-client.ts';
import { splitArray } from '../helpers/orders.ts';
import { expectError, headerOf, RunningStore, rateLimitOf } from './running-store.ts';
import {
  cannedPage,
  endless,
  ordersPerPage,
  type ScanEndpoint,
  scanEndpoint,
} from './scan-endpoint.ts';

// A list of a million orders can take long on a machine under load.
jest.setTimeout(120_000);

let dynamodb: EmbeddedDynamoDB;
let endpoint: ScanEndpoint;
/** A store with the embedded DynamoDB. */
let store: RunningStore;
/** A store with canned scans. */
let canned: RunningStore;
let key: string;

beforeAll(async () => {
  dynamodb = await startEmbeddedDynamoDB();
  endpoint = await scanEndpoint(dynamodb.endpoint);
  store = await RunningStore.start({ dynamodbEndpoint: dynamodb.endpoint });
  canned = await RunningStore.start({
    dynamodbEndpoint: endpoint.url,
    dataEndpoint: dynamodb.endpoint,
  });
  // Both stores use the same tables, but each has its own gateway, in which the key has to exist.
  key = (await canned.issue()).apiKey;
});

beforeEach(() => endpoint.reset());

afterAll(async () => {
  await canned?.[Symbol.asyncDispose]();
  await store?.[Symbol.asyncDispose]();
  await endpoint?.[Symbol.asyncDispose]();
  await dynamodb?.close();
});

const open = (from: RunningStore, token: string, headers: Record<string, string> = {}) =>
  from.client.send({
    method: 'GET',
    path: '/store/orders',
    headers: { authorization: `Bearer ${token}`, ...headers },
  });

const openCanned = (headers?: Record<string, string>) => open(canned, key, headers);

/**
 * Resolves when the number of scans has stopped growing: other requests, which take longer the busier
 * the machine is, are answered meanwhile, and no scan is made.
 */
async function scansAtRest(): Promise<number> {
  for (;;) {
    const seen = endpoint.scans;
    for (let asked = 0; asked < 15; asked++) {
      await canned.call('GET', '/pets/1', { token: key });
    }
    if (endpoint.scans === seen) return seen;
  }
}

/** Disconnects, and waits until the list, which continues without its client, has ended. */
async function leave(body: Answer['body']): Promise<void> {
  body.destroy();
  endpoint.onScan = ({ answer }) => answer.end('{"Items":[],"Count":0}');
  await scansAtRest();
}

describe('a list from the embedded DynamoDB', () => {
  const ids = [
    '0',
    '-1',
    '9007199254740993',
    '9223372036854775807',
    '-9223372036854775808',
    ...Array.from({ length: 1_500 }, (_, index) => String(1_000_000 + index)),
  ];
  let token: string;

  beforeAll(async () => {
    token = (await store.issue()).apiKey;
  });

  it('R8: is an empty array where there is no order', async () => {
    const { status, text: body } = await store.list(token);

    expect([status, body]).toEqual([200, '[]']);
  });

  it('R8, I2: has all orders, digit for digit, of many pages and of every status', async () => {
    const statuses = ['pending', 'shipped', 'cancelled', 'returned'];
    // A page of a scan contains 1 MB of items, including attributes that are not requested.
    const note = 'x'.repeat(2_000);
    await store.putOrders(ids.map((id, index) => ({ id, status: statuses[index % 4]!, note })));

    const answer = await open(store, token);

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
    const answer = await store.client.send({
      method: 'GET',
      path,
      headers: { authorization: `Bearer ${token}` },
    });

    expect(splitArray(await text(answer.body))).toHaveLength(ids.length);
    expect(answer.headers.has('link')).toBe(false);
  });

  it('R11: has the same orders whenever it is read, in whatever order', async () => {
    const bodies = await Promise.all([1, 2].map(async () => text((await open(store, token)).body)));

    const [first, second] = bodies.map(idsIn);
    expect(first === second).toBe(true);
  });

  it('is gzipped for a client that accepts it, with the same content', async () => {
    const headers = { 'accept-encoding': 'br;q=1, gzip;q=0.5' };
    const [plain, zipped] = await Promise.all([open(store, token), open(store, token, headers)]);
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

describe('a list of 200,000 orders', () => {
  it('R10: is one request and valid JSON, of which little is held at a time', async () => {
    endpoint.orders = 200_000;
    let body = '';
    let received = 0;
    let mostHeld = 0;

    const answer = await openCanned();
    answer.body.setEncoding('latin1');
    for await (const chunk of answer.body) {
      body += chunk;
      received += chunk.split('}').length - 1;
      mostHeld = Math.max(mostHeld, endpoint.ordersSent - received);
    }

    const orders: { id: number }[] = JSON.parse(body);
    expect(answer.status).toBe(200);
    expect(new Set(orders.map(({ id }) => id)).size).toBe(200_000);
    expect(orders).toHaveLength(200_000);
    // The first page is read twice, and each of four segments reads one page.
    expect(mostHeld).toBeLessThan(20 * ordersPerPage);
  });

  it('takes no more memory however long it gets', async () => {
    endpoint.orders = endless;
    const pages = cannedPage();
    endpoint.onScan = ({ number, page, answer }) => {
      if (number === 1) return page();
      endpoint.ordersSent += ordersPerPage;
      answer.end(pages);
    };
    const peakMbByPart: number[] = [];
    const ordersPerPart = 200_000;

    const { body } = await openCanned();
    for await (const _ of body) {
      const part = Math.floor(endpoint.ordersSent / ordersPerPart);
      if (part === 5) break;
      const rssMb = process.memoryUsage.rss() / 1e6;
      peakMbByPart[part] = Math.max(peakMbByPart[part] ?? 0, rssMb);
    }
    await leave(body);

    const [, second = 0] = peakMbByPart;
    // Three more parts are 60 MB in the answer, and twice as much in DynamoDB's format.
    expect(peakMbByPart.at(-1)! - second).toBeLessThan(50);
  });
});

describe('a list whose client', () => {
  beforeEach(() => {
    endpoint.orders = endless;
  });

  it('is slow slows the scan, which goes on when the client does', async () => {
    const { body } = await openCanned();
    body.pause();

    const paused = await scansAtRest();
    body.resume();
    while (endpoint.scans < paused + 20) await sleep(10);
    body.pause();
    const pausedAgain = await scansAtRest();
    await leave(body);

    expect(paused).toBeLessThan(40);
    expect(pausedAgain).toBeLessThan(paused + 80);
  });

  it.each([
    ['plain', {}],
    ['gzipped', { 'accept-encoding': 'gzip' }],
  ])('goes away half-way goes on to its end, as it does on Lambda: %s', async (_, headers) => {
    endpoint.orders = 100_000;
    canned.lines.length = 0;
    const { body } = await openCanned(headers);
    body.resume();
    while (endpoint.scans < 8) await sleep(5);

    body.destroy();

    const isListed = (line: string) => line.includes('"OrdersListed":100000');
    while (!canned.lines.some(isListed)) await sleep(10);
    // The first page is read twice.
    expect(endpoint.scans).toBe(1 + 100_000 / ordersPerPage);
  });
});

describe('a list whose table fails', () => {
  beforeEach(() => {
    endpoint.orders = 50_000;
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

    const body = await text((await openCanned()).body);

    expect(new Set(splitArray(body)).size).toBe(50_000);
  });

  it.each(failures)(
    'I12: midway is broken off, and no valid JSON: the table %s',
    async (_, fail) => {
      endpoint.onScan = ({ number, page, answer }) => (number > 5 ? fail(answer) : page());

      const answer = await openCanned();
      const [received, error] = await readUntilBroken(answer);

      expect(answer.status).toBe(200);
      expect(error).toBeDefined();
      expect(received).toMatch(/^\[\{"/);
      expect(() => JSON.parse(received)).toThrow(SyntaxError);
    },
  );

  it.each(failures)('at once is answered 503: the table %s', async (_, fail) => {
    endpoint.onScan = ({ answer }) => fail(answer);

    const answer = await canned.list(key);

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
