import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { plans } from '../../../../lib/settings/plans.ts';
import type { IssuedKey } from '../../../admin/keys/issue-key.ts';
import {
  expectError,
  headerOf,
  lastingMinute,
  RunningStore,
  rateLimitOf,
} from './running-store.ts';

/*
 * The template of prod, run locally with an embedded DynamoDB: what has to be seen in the stored items, or
 * needs more than one client. tools/smoke/test/answers.test.ts provokes every answer of staging.
 */

let store: RunningStore;
let key: IssuedKey;

beforeAll(async () => {
  store = await RunningStore.start({ stage: 'prod' });
  key = await store.issue();
  await store.putOrders([
    ...[...raced, '1'].map((id) => ({
      id,
      status: 'pending',
    })),
    { id: '10', status: 'shipped' },
    { id: '11', status: 'never-used' },
  ]);
});

afterAll(() => store?.[Symbol.asyncDispose]());

const raced = ['101', '102', '103', '104'];
const cancel = (id: string) => store.cancel(id, key.apiKey);

describe('cancelling an order', () => {
  it('R13: marks it as cancelled, by the key of its client', async () => {
    const answer = await cancel('1');

    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(rateLimitOf(answer).limit).toBe(60_000);
    expect(await store.orderItem('1')).toMatchObject({
      status: { S: 'cancelled' },
      cancelledBy: { S: key.keyId },
      cancelRequestId: { S: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    });
  });

  it.each([
    ['R6, R14: has shipped', '10', 409, 'order_already_shipped'],
    ['I5: is in another state', '11', 409, 'order_not_cancellable'],
    ['R15: does not exist', '99', 404, 'order_not_found'],
  ])('%s: it leaves everything as it is', async (_, id, status, code) => {
    const before = await store.orderItem(id);

    expectError(await cancel(id), status, code);

    expect(await store.orderItem(id)).toEqual(before);
  });

  it('I6: by two clients at the same time answers one 204 and the other 409', async () => {
    for (const id of raced) {
      const answers = await Promise.all([cancel(id), cancel(id)]);

      const [first, second] = answers.sort((a, b) => a.status - b.status);
      expect(first!.status).toBe(204);
      expectError(second!, 409, 'order_already_cancelled');
    }
  });

  it.each(['%00', '1%2F2', '1%0A', '%2B1', '%D9%A1', '%FF', '{orderId}'])(
    'I7: is refused with an id that is no int64: %s',
    async (id) => {
      expectError(await cancel(id), 400, 'invalid_order_id');
    },
  );
});

describe('a key', () => {
  it('R2, I19: is of one of two deployments, each with a base address of its own', async () => {
    expect(new URL(store.baseUrl).pathname).toBe('/prod/v1');
    expect(key.apiKey).toMatch(/^so_live_/);
    const outside = await fetch(`${store.service.origin}/prod/store/orders`);
    expect(outside.status).toBe(404);
  });

  it('R18, I16: is refused like any other once it is revoked, and costs nothing', async () => {
    const issued = await store.issue('free');
    expect((await store.list(issued.apiKey)).status).toBe(200);
    await store.revoke(issued);
    const before = await store.keyItem(issued);

    const answer = await store.list(issued.apiKey);

    expectError(answer, 401, 'unauthorized');
    expect(answer.text).toBe((await store.list('wrong')).text);
    expect(rateLimitOf(answer)).toEqual({ limit: 0, remaining: 0, reset: 0 });
    expect(await store.keyItem(issued)).toEqual(before);
  });

  it('R26, I25: is banned by the rejection beyond those that its plan tolerates', async () => {
    const { toleratedRejectionsPerMinute, banSeconds, perMinute } = plans.free;
    const refused = await store.issue('free');
    await store.setCounters(refused, { minuteCount: perMinute });
    await store.setCounters(refused, {
      rejectionWindow: lastingMinute(),
      rejectionCount: toleratedRejectionsPerMinute - 1,
    });
    const sentAtSeconds = Math.floor(Date.now() / 1_000);

    const answers = [];
    for (let sent = 0; sent < 3; sent++) answers.push(await store.list(refused.apiKey));

    const codes = answers.map(({ text }) => JSON.parse(text).code);
    expect(codes).toEqual(['rate_limit_exceeded', 'api_key_banned', 'api_key_banned']);
    expect(rateLimitOf(answers[2]!).reset).toBeGreaterThanOrEqual(sentAtSeconds + banSeconds);
    expect(Number(headerOf(answers[2]!, 'retry-after'))).toBeGreaterThan(0);
  });
});
