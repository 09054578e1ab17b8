import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { IssuedKey } from '../../admin/keys/key-draft.ts';
import { contractDocument } from '../helpers/contract-document.ts';
import { expectError, headerOf, RunningStore, rateLimitOf } from './running-store.ts';

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
  await store.putOrders([
    { id: '1', status: 'pending' },
    { id: '2', status: 'shipped' },
  ]);
});

afterAll(() => store?.[Symbol.asyncDispose]());

const list = () => store.list(key.apiKey);

describe('the service as a whole', () => {
  it('R1: answers in JSON, be it orders or an error', async () => {
    const answers = [await list(), await store.cancel('99', key.apiKey), await store.list()];

    expect(answers.map(({ status }) => status)).toEqual([200, 404, 401]);
    for (const answer of answers) {
      expect(headerOf(answer, 'content-type')).toBe('application/json');
      expect(() => JSON.parse(answer.text)).not.toThrow();
    }
  });

  it('R28, I27: has of the pets one operation, which is deprecated and gone', async () => {
    const answer = await store.call('GET', '/pets/1', { token: key.apiKey });

    expectError(answer, 410, 'gone');
    expect(contractDocument.paths['/pets/{petId}'].get.deprecated).toBe(true);
    expect(
      Object.keys(contractDocument.paths).filter((path) => path.startsWith('/pets')),
    ).toHaveLength(1);
  });

  it('I11: admits no web page of another origin', async () => {
    const Origin = 'https://shop.example.com';
    const preflight = await store.call('OPTIONS', '/store/orders', {
      headers: { Origin, 'Access-Control-Request-Method': 'GET' },
    });
    const answered = await store.call('GET', '/store/orders', {
      token: key.apiKey,
      headers: { Origin },
    });
    const refused = await store.call('GET', '/store/orders', { headers: { Origin } });

    const answers = [preflight, answered, refused];
    const names = answers.flatMap(({ headers }) => [...headers.keys()]);
    expectError(preflight, 404, 'not_found');
    expect(answered.status).toBe(200);
    expectError(refused, 401, 'unauthorized');
    expect(names.filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  it('R3, I3: shows of an order the five fields, of their types, and no status', async () => {
    const [order] = JSON.parse((await list()).text);

    expect(order).toEqual({
      id: expect.any(Number),
      petId: 7,
      quantity: 2,
      shipDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      complete: false,
    });
  });
});

describe('versions', () => {
  it('R27: 1.0.0 is served below /v1, and nothing outside it', async () => {
    const outside = await fetch(`${store.service.origin}/staging/store/orders`);

    expect(contractDocument.info.version).toBe('1.0.0');
    expect(store.baseUrl).toMatch(/\/v1$/);
    expect((await list()).status).toBe(200);
    expect(outside.status).toBe(404);
  });
});

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
    const before = rateLimitOf(await list()).remaining;

    await store.call('GET', '/nothing', { token: key.apiKey });

    expect(rateLimitOf(await list()).remaining).toBe(before - 1);
  });
});
