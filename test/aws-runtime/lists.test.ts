import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  ordersPerPage,
  type ScanCall,
  type ScanEndpoint,
  scanEndpoint,
} from '../e2e/scan-endpoint.ts';
import { TwinStores } from './twin-stores.ts';

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

const environmentsEnded = () =>
  stores.awsLines.filter((line) => line.includes('Runtime.ExitError')).length;

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
    // The pages come in any order; the orders in them do not.
    const sorted = ({ body }: { body: string }) => body.slice(1, -1).split('},{').sort().join();
    expect(sorted(local).length).toBe(sorted(aws).length);
  });

  it.each(['identity', 'gzip'])('fails half-way in the same way: %s', async (encoding) => {
    const before = environmentsEnded();
    prepare(100_000, ({ number, page, answer }) => (number > 5 ? answer.destroy() : page()));

    const { aws, local } = await list(encoding);
    prepare(ordersPerPage);
    const next = await list();

    for (const answer of [aws, local])
      expect([answer.status, answer.isBroken]).toEqual([200, true]);
    expect(local.headers.length).toBe(aws.headers.length);
    expect(next.aws.isBroken).toBe(false);
    expect(next.local).toEqual(next.aws);
    expect(environmentsEnded()).toBe(before);
  });
});
