import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { plans } from '../../lib/settings/plans.ts';
import { thisMinute } from '../e2e/running-store.ts';
import {
  DynamodbProxy,
  lost,
  type Reply,
  refused,
  throttled,
  unanswered,
} from '../helpers/dynamodb/dynamodb-proxy.ts';
import { TwinStores } from './twin-stores.ts';

let stores: TwinStores<DynamodbProxy>;

beforeAll(async () => {
  stores = await TwinStores.start(DynamodbProxy.before);
  await stores.putOrders([
    ...['1', '2', '3', '4', '5'].map((id) => ({ id, status: 'pending' })),
    { id: '-9223372036854775808', status: 'shipped' },
    { id: '9223372036854775807', status: 'cancelled' },
    { id: '9007199254740993', status: 'returned' },
  ]);
});

afterAll(() => stores?.[Symbol.asyncDispose]());

describe("the answer of functions under AWS's runtime client", () => {
  it.each([
    ['no key', {}],
    ['a header of another form', { headers: { authorization: 'Basic x' } }],
    ['a key that is misspelt', { token: `so_test_${'x'.repeat(46)}` }],
    ['a key that nobody has', { token: `so_test_${'0'.repeat(40)}0vP84T` }],
    ["another stage's key", { token: `so_live_${'0'.repeat(46)}` }],
  ])('is the same 401 to %s', async (_, call) => {
    const { aws, local } = await stores.ask('GET', '/store/orders', call);

    expect(aws.status).toBe(401);
    expect(local).toEqual(aws);
  });

  it.each([
    [400, 'DELETE', '/store/orders/007'],
    [400, 'DELETE', '/store/orders/9223372036854775808'],
    [204, 'DELETE', '/store/orders/1'],
    [409, 'DELETE', '/store/orders/-9223372036854775808'],
    [409, 'DELETE', '/store/orders/9223372036854775807'],
    [409, 'DELETE', '/store/orders/9007199254740993'],
    [404, 'DELETE', '/store/orders/99'],
    [404, 'GET', '/nothing'],
    [410, 'GET', '/pets/1'],
  ])('is the same %d to %s %s', async (status, method, path) => {
    const key = await stores.issue();

    const { aws, local } = await stores.ask(method, path, { key });

    expect(aws.status).toBe(status);
    expect(local).toEqual(aws);
  });

  it('is the same 400 to a body that does not parse', async () => {
    const key = await stores.issue();

    const { aws, local } = await stores.ask('DELETE', '/store/orders/2', {
      key,
      headers: { 'content-type': 'application/json' },
      body: '{"a":',
    });

    expect(aws.status).toBe(400);
    expect(local).toEqual(aws);
  });

  it.each([
    ['a minute that is used up', 'rate_limit_exceeded', { minuteCount: plans.free.perMinute }],
    ['a day that is used up', 'quota_exceeded', { dayCount: plans.free.perDay }],
    ['a key that is banned', 'api_key_banned', { bannedUntil: thisMinute() + 600 }],
  ])('is the same 429 to %s', async (_, code, counters) => {
    const key = await stores.issue('free');
    await key.setCounters(counters);

    for (const path of ['/store/orders', '/store/orders', '/pets/1']) {
      const { aws, local } = await stores.ask('GET', path, { key });

      expect([aws.status, JSON.parse(aws.body).code]).toEqual([429, code]);
      expect(local).toEqual(aws);
    }
  });

  it('is the same when requests go beyond the limit, and then into a ban', async () => {
    const key = await stores.issue('enterprise', { perMinute: 2, perDay: 1_000 });

    const statuses: number[] = [];
    for (let request = 0; request < 5; request++) {
      const { aws, local } = await stores.ask('GET', '/pets/1', { key });
      expect(local).toEqual(aws);
      statuses.push(aws.status);
    }

    expect(statuses).toEqual([410, 410, 429, 429, 429]);
  });
});

describe('the answer when DynamoDB fails', () => {
  const failures: [string, Reply][] = [
    ['breaks the connection', lost],
    ['throttles', throttled],
    ['never answers', unanswered],
  ];

  afterEach(() => {
    for (const { faults } of stores.endpoints) faults.clear();
  });

  function fail(table: 'orders' | 'apiKeys', failure: Reply): void {
    for (const { faults } of stores.endpoints) faults.set(stores.tables[table], failure);
  }

  it.each(failures)('is the same 503 when it %s', async (_, failure) => {
    const keys = [await stores.issue(), await stores.issue()];
    fail('orders', failure);

    const answers = await Promise.all([
      stores.ask('GET', '/store/orders', { key: keys[0] }),
      stores.ask('DELETE', '/store/orders/3', { key: keys[1] }),
    ]);

    for (const { aws, local } of answers) {
      expect([aws.status, JSON.parse(aws.body).code]).toEqual([503, 'service_unavailable']);
      expect(local).toEqual(aws);
    }
  });

  it.each(failures)('is the same 503 when it %s to the authorizer', async (_, failure) => {
    const key = await stores.issue();
    fail('apiKeys', failure);

    const { aws, local } = await stores.ask('GET', '/pets/1', { key });

    expect(aws.status).toBe(503);
    expect(local).toEqual(aws);
  });

  it('is the same 500 when it refuses for a reason that nobody foresaw', async () => {
    const keys = [await stores.issue(), await stores.issue()];
    fail('orders', refused);

    const answers = await Promise.all([
      stores.ask('GET', '/store/orders', { key: keys[0] }),
      stores.ask('DELETE', '/store/orders/3', { key: keys[1] }),
    ]);

    for (const { aws, local } of answers) {
      expect([aws.status, JSON.parse(aws.body).code]).toEqual([500, 'internal_error']);
      expect(local).toEqual(aws);
    }
  });
});

describe('an execution environment', () => {
  it('has not ended in any of this, neither of the local run nor under the client', () => {
    expect(stores.crashes).toBe(0);
  });
});
