import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  endless,
  ordersPerPage,
  type ScanCall,
  type ScanEndpoint,
  scanEndpoint,
} from '../e2e/scan-endpoint.ts';
import { readUntilBroken, TwinStores } from './twin-stores.ts';

let stores: TwinStores<ScanEndpoint>;
let key: Awaited<ReturnType<typeof stores.issue>>;

beforeAll(async () => {
  stores = await TwinStores.start(scanEndpoint);
  key = await stores.issue();
});

beforeEach(() => prepare(ordersPerPage));

afterAll(() => stores?.[Symbol.asyncDispose]());

function prepare(orders: number, onScan?: (call: ScanCall) => unknown): void {
  for (const endpoint of stores.endpoints) {
    endpoint.reset();
    endpoint.orders = orders;
    if (onScan) endpoint.onScan = onScan;
  }
}

const list = (encoding = 'identity') =>
  stores.ask('GET', '/store/orders', { key, headers: { 'accept-encoding': encoding } });

describe("a list under AWS's runtime client", () => {
  it.each(['identity', 'gzip', 'br, gzip;q=0.5', 'gzip;q=0'])(
    'is the same, to the byte, to a client that accepts %s',
    async (encoding) => {
      const { aws, local } = await list(encoding);

      expect([aws.status, aws.isBroken]).toEqual([200, false]);
      expect(aws.body.length).toBeGreaterThan(10_000);
      expect(local).toEqual(aws);
    },
  );

  it.each([0, 1])('is the same of %d orders', async (orders) => {
    prepare(orders);

    const { aws, local } = await list();

    expect(JSON.parse(aws.body)).toHaveLength(orders);
    expect(local).toEqual(aws);
  });

  it('has the same orders, each once, where they are many pages', async () => {
    prepare(100_000);

    const { aws, local } = await list();

    expect(new Set(JSON.parse(aws.body).map(({ id }: { id: number }) => id)).size).toBe(100_000);
    // List rule 3 leaves the order open, and four segments race.
    const sorted = ({ body }: { body: string }) => body.slice(2, -2).split('},{').sort().join();
    expect(sorted(local) === sorted(aws)).toBe(true);
  });

  it.each(['identity', 'gzip'])('fails half-way in the same way: %s', async (encoding) => {
    prepare(100_000, ({ number, page, answer }) => (number > 5 ? answer.destroy() : page()));

    const { aws, local } = await list(encoding);
    prepare(ordersPerPage);
    const next = await list();

    for (const answer of [aws, local])
      expect([answer.status, answer.isBroken]).toEqual([200, true]);
    expect(local.headers.length).toBe(aws.headers.length);
    expect(next.aws.isBroken).toBe(false);
    expect(next.local).toEqual(next.aws);
    expect(stores.crashes).toBe(0);
  });

  it('goes on to its end when its client goes away', async () => {
    prepare(150_000);
    for (const { body } of await stores.open(key)) body.once('data', () => body.destroy());

    await stores.logged('"OrdersListed":150000');

    expect(stores.crashes).toBe(0);
  });

  it('is cut off when its client takes nothing of it, and its environment goes on', async () => {
    prepare(endless);
    const answers = await stores.open(key);

    await stores.logged('A slow client was cut off');

    for (const answer of answers) {
      const [received, isBroken] = await readUntilBroken(answer);
      expect([answer.status, isBroken]).toEqual([200, true]);
      expect(() => JSON.parse(received.toString())).toThrow(SyntaxError);
    }
    prepare(1);
    const { aws, local } = await list();
    expect(JSON.parse(aws.body)).toHaveLength(1);
    expect(local).toEqual(aws);
    expect(stores.crashes).toBe(0);
  });
});
