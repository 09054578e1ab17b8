import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { IssuedKey } from '../../../admin/keys/issue-key.ts';
import { RunningStore } from './running-store.ts';

/*
 * Tests of prod's template that need several clients or read stored items. tools/start/test/e2e/answers.test.ts
 * provokes every response of staging.
 */

let store: RunningStore;
let key: IssuedKey;

beforeAll(async () => {
  store = await RunningStore.start({ stage: 'prod' });
  key = await store.issue();
  await store.putOrders([...raced, '1'].map((id) => ({ id, status: 'pending' })));
});

afterAll(() => store?.[Symbol.asyncDispose]());

const raced = ['101', '102', '103', '104'];
const cancel = (id: string) => store.cancel(id, key.apiKey);

describe('cancelling an order', () => {
  it('R13: marks it as cancelled, by the key of its client', async () => {
    const answer = await cancel('1');

    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await store.orderItem('1')).toMatchObject({
      status: { S: 'cancelled' },
      cancelledBy: { S: key.keyId },
      cancelRequestId: { S: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    });
  });

  it('I6: by two clients at the same time answers one 204 and the other 409', async () => {
    for (const id of raced) {
      const answers = await Promise.all([cancel(id), cancel(id)]);

      const [first, second] = answers.sort((a, b) => a.status - b.status);
      expect(first!.status).toBe(204);
      expect(second).toMatchObject({
        status: 409,
        text: expect.stringContaining('order_already_cancelled'),
      });
    }
  });
});

describe('a key', () => {
  it('R2, I19: belongs to one of two deployments, each with its own base address', async () => {
    expect(new URL(store.baseUrl).pathname).toBe('/prod/v1');
    expect(key.apiKey).toMatch(/^so_live_/);
    const outside = await fetch(`${store.service.origin}/prod/store/orders`);
    expect(outside.status).toBe(404);
  });
});
