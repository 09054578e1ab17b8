import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { IssuedKey } from '../../tools/admin/keys/key-draft.ts';
import { expectError, RunningStore, rateLimitOf } from './running-store.ts';

const largest = '9223372036854775807';
const lowest = '-9223372036854775808';
const pairs = 12;

let store: RunningStore;
let key: IssuedKey;

beforeAll(async () => {
  store = await RunningStore.start();
  key = await store.issue();
  const pending = ['1', '2', '3', '0', largest, lowest, '9007199254740993', '9007199254740992'];
  await store.putOrders([
    ...[...pending, ...raced()].map((id) => ({ id, status: 'pending' })),
    { id: '10', status: 'shipped' },
    { id: '11', status: 'returned' },
  ]);
});

afterAll(() => store?.[Symbol.asyncDispose]());

const raced = () => Array.from({ length: pairs }, (_, index) => String(1_000 + index));
const cancel = (id: string) => store.cancel(id, key.apiKey);
const statusOf = async (id: string) => (await store.orderItem(id)).status?.S;

describe('cancelling an order', () => {
  it('R13: answers 204 without a body when it is pending, and cancels it', async () => {
    const answer = await cancel('1');

    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(rateLimitOf(answer).limit).toBe(60_000);
    expect(await store.orderItem('1')).toMatchObject({
      status: { S: 'cancelled' },
      cancelledBy: { S: key.keyId },
      cancelRequestId: { S: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    });
  });

  it('R6, R14: answers 409 when it has shipped, and leaves it as it is', async () => {
    const before = await store.orderItem('10');

    expectError(await cancel('10'), 409, 'order_already_shipped');
    expect(await store.orderItem('10')).toEqual(before);
  });

  it('R5, I4: answers 409 when an earlier request has cancelled it', async () => {
    await cancel('2');

    expectError(await cancel('2'), 409, 'order_already_cancelled');
    expect(await statusOf('2')).toBe('cancelled');
  });

  it('R5, I5: answers 409 in any other state, and leaves it as it is', async () => {
    expectError(await cancel('11'), 409, 'order_not_cancellable');
    expect(await statusOf('11')).toBe('returned');
  });

  it('R4, R15: answers 404 when there is none with the id, and makes none', async () => {
    expectError(await cancel('99'), 404, 'order_not_found');
    expect(await store.orderItem('99')).toBeUndefined();
  });

  it('R18: answers 401 without a key, and cancels nothing', async () => {
    expectError(await store.cancel('3'), 401, 'unauthorized');
    expect(await statusOf('3')).toBe('pending');
  });

  it('I6: by two clients at the same time answers one 204 and the other 409', async () => {
    const results = await Promise.all(
      raced().map(async (id) => {
        const answers = await Promise.all([cancel(id), cancel(id)]);
        return answers.sort((a, b) => a.status - b.status);
      }),
    );

    for (const [first, second] of results) {
      expect(first?.status).toBe(204);
      expectError(second!, 409, 'order_already_cancelled');
    }
  });

  it.each(['0', largest, lowest])('I2: takes %s as an id, digit for digit', async (id) => {
    expect((await cancel(id)).status).toBe(204);
    expectError(await cancel(id), 409, 'order_already_cancelled');
  });

  it('I2: tells apart two ids that are the same JavaScript number', async () => {
    expect((await cancel('9007199254740993')).status).toBe(204);
    expect(await statusOf('9007199254740992')).toBe('pending');
  });
});

describe('an id that is no int64', () => {
  // test/lambdas/cancel-order.test.ts tests the format of ids. These tests are about sending them.
  it.each([
    '9223372036854775808',
    '1.0',
    '+1',
    '-0',
    '007',
    '%00',
    '1%00',
    '%2F',
    '1%2F2',
    '%2e%2e',
    '%201',
    '1%0A',
    '%2B1',
    '%D9%A1',
    '%EF%BC%91',
    '%F0%9F%90%95',
    '%FF',
    '{orderId}',
    `'`,
    '$context.stage',
    '9'.repeat(5_000),
  ])('I7: is answered 400: %s', async (id) => {
    expectError(await cancel(id), 400, 'invalid_order_id');
  });

  it.each([
    ['an empty one', ''],
    ['one with a slash', '1/2'],
    ['a dot', '.'],
    ['two dots', '..'],
  ])('is answered 400 or 404, not cancelled, not an error of ours: %s', async (_, id) => {
    const answer = await cancel(id);

    const { code } = JSON.parse(answer.text);
    expect([400, 404]).toContain(answer.status);
    expectError(answer, answer.status, code);
    expect(['invalid_order_id', 'not_found']).toContain(code);
  });

  it.each([100_000, 500_000])('is answered 400 or 413 with %d characters', async (length) => {
    const answer = await cancel('9'.repeat(length));

    expect([400, 413]).toContain(answer.status);
    expectError(answer, answer.status, JSON.parse(answer.text).code);
  });
});

describe('a request body', () => {
  const json = { 'content-type': 'application/json' };

  it('I8: that says it is JSON and is not is answered 400, and cancels nothing', async () => {
    const answer = await store.call('DELETE', '/store/orders/3', {
      token: key.apiKey,
      headers: json,
      body: '{',
    });

    expectError(answer, 400, 'invalid_body');
    expect(await statusOf('3')).toBe('pending');
  });

  it.each([
    ['valid JSON', json, '{"reason":"x"}'],
    ['of another type', { 'content-type': 'text/plain' }, '{'],
    ['of no type', {}, '{'],
  ])('I8: changes nothing when it is %s', async (_, headers, body) => {
    const answer = await store.call('DELETE', '/store/orders/99', {
      token: key.apiKey,
      headers,
      body,
    });

    expectError(answer, 404, 'order_not_found');
  });
});
