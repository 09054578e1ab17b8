import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { IssuedKey } from '../../admin/keys/key-draft.ts';
import { expectError, RunningStore, rateLimitOf } from './running-store.ts';

const unknownPaths = [
  '',
  '/store',
  '/store/nothing',
  '/store/orders/1/items',
  '/store/orders/1/items/2',
  '/pets',
  '/pets/1/photos',
  '/nothing/at/all',
];
const knownPaths = ['/store/orders', '/store/orders/1', '/pets/1'];
const unknownMethods = ['POST', 'PUT', 'PATCH', 'OPTIONS'];

let store: RunningStore;
let key: IssuedKey;
beforeAll(async () => {
  store = await RunningStore.start();
  key = await store.issue('free');
});
afterAll(() => store[Symbol.asyncDispose]());

describe.each([
  ['without a key', () => undefined],
  ['with a key', () => key.apiKey],
  ['with a token that is no key', () => 'nonsense'],
])('what the API does not have, asked %s', (_, token) => {
  it.each(unknownPaths)('I10: is answered 404: GET %s', async (path) => {
    const answer = await store.call('GET', path, { token: token() });

    expectError(answer, 404, 'not_found');
    expect(rateLimitOf(answer)).toEqual({ limit: 0, remaining: 0, reset: 0 });
  });

  it.each([
    ...knownPaths.flatMap((path) => unknownMethods.map((method) => [method, path])),
    ['GET', '/store/orders/1'],
    ['DELETE', '/pets/1'],
  ] as [string, string][])('I10: is answered 404: %s %s', async (method, path) => {
    expectError(await store.call(method, path, { token: token() }), 404, 'not_found');
  });

  it.each([...unknownPaths, ...knownPaths])(
    'I10: is answered 404 without a body: HEAD %s',
    async (path) => {
      const answer = await store.call('HEAD', path, { token: token() });

      expect([answer.status, answer.text]).toEqual([404, '']);
      expect(rateLimitOf(answer)).toEqual({ limit: 0, remaining: 0, reset: 0 });
    },
  );
});

describe('an unknown path', () => {
  it.each(['text/plain', 'application/xml', 'multipart/form-data; boundary=x'])(
    'is answered 404 whatever is sent to it: %s',
    async (type) => {
      const headers = { 'content-type': type };

      const answer = await store.call('POST', '/nothing', { headers, body: 'text' });

      expectError(answer, 404, 'not_found');
    },
  );

  it('has the rate-limit headers also where nobody knows the type that is sent to it', async () => {
    const headers = { 'content-type': ';;;' };

    const answer = await store.call('POST', '/nothing', { headers, body: 'text' });

    expectError(answer, 415, 'unsupported_media_type');
    expect(rateLimitOf(answer)).toEqual({ limit: 0, remaining: 0, reset: 0 });
  });

  it('takes nothing from the allowance', async () => {
    const before = rateLimitOf(await store.list(key.apiKey)).remaining;

    await store.call('GET', '/nothing', { token: key.apiKey });

    expect(rateLimitOf(await store.list(key.apiKey)).remaining).toBe(before - 1);
  });
});
