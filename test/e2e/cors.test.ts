import { rm, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { IssuedKey } from '../../admin/keys/key-draft.ts';
import { plans } from '../../lib/settings/plans.ts';
import type { TextAnswer } from '../../smoke/stage/http-client.ts';
import { assemblyDirectory } from '../helpers/synthesized.ts';
import { synthesize } from '../lib/stack-factory.ts';
import { expectError, headerOf, RunningStore, rateLimitOf } from './running-store.ts';

const origin = 'https://shop.example.com';
const file = `${assemblyDirectory()}/cors-${process.pid}.json`;

let store: RunningStore;
let key: IssuedKey;

beforeAll(async () => {
  await writeFile(file, JSON.stringify(synthesize('staging', { corsOrigin: origin })));
  store = await RunningStore.start({ templateFile: file });
  key = await store.issue('free');
  await store.putOrders([
    { id: '1', status: 'pending' },
    { id: '2', status: 'pending' },
  ]);
});

afterAll(async () => {
  await store?.[Symbol.asyncDispose]();
  await rm(file, { force: true });
});

const asked = (method: string, path: string, token: string | undefined = key.apiKey) =>
  store.call(method, path, { token, headers: { origin } });

/** Sends a preflight request as a browser does before a script may send a key: without the key. */
const preflight = (method: string, path: string) =>
  store.call('OPTIONS', path, {
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization',
    },
  });

function expectReadable(answer: TextAnswer): void {
  expect(headerOf(answer, 'access-control-allow-origin')).toBe(origin);
  expect(headerOf(answer, 'access-control-expose-headers').split(', ')).toEqual(
    expect.arrayContaining(['X-RateLimit-Remaining', 'Retry-After', 'x-amzn-RequestId']),
  );
}

describe('a stage that allows an origin', () => {
  it.each([
    ['GET', '/store/orders'],
    ['DELETE', '/store/orders/1'],
    ['GET', '/pets/7'],
  ])(
    'I11: answers the preflight of %s %s without a key and without counting it',
    async (method, path) => {
      const before = rateLimitOf(await asked('GET', '/pets/7')).remaining;

      const answer = await preflight(method, path);

      expect([answer.status, answer.text]).toEqual([204, '']);
      expectReadable(answer);
      expect(headerOf(answer, 'access-control-allow-methods').split(', ')).toContain(method);
      expect(headerOf(answer, 'access-control-allow-headers')).toMatch(/\bAuthorization\b/);
      expect(headerOf(answer, 'access-control-max-age')).toMatch(/^\d+$/);
      expect(rateLimitOf(answer)).toEqual({ limit: 0, remaining: 0, reset: 0 });
      expect(rateLimitOf(await asked('GET', '/pets/7')).remaining).toBe(before - 1);
    },
  );

  it('I11: lets its scripts read what the operations answer', async () => {
    const list = await asked('GET', '/store/orders');
    const cancelled = await asked('DELETE', '/store/orders/1');

    expect([list.status, cancelled.status]).toEqual([200, 204]);
    expectReadable(list);
    expectReadable(cancelled);
  });

  it.each([
    ['a function refuses', () => asked('DELETE', '/store/orders/007'), 400, 'invalid_order_id'],
    ['the key is refused', () => asked('GET', '/store/orders', 'wrong'), 401, 'unauthorized'],
    ['the path is unknown', () => asked('GET', '/nothing'), 404, 'not_found'],
    ['the method is unknown', () => asked('PUT', '/store/orders'), 404, 'not_found'],
    ['the operation is retired', () => asked('GET', '/pets/7'), 410, 'gone'],
  ])('I11: lets them read an error where %s', async (_name, ask, status, code) => {
    const answer = await ask();

    expectError(answer, status, code);
    expectReadable(answer);
  });

  it('lets them read how long to wait', async () => {
    const spent = await store.issue('free');
    await store.setCounters(spent, { minuteCount: plans.free.perMinute });

    const answer = await asked('DELETE', '/store/orders/2', spent.apiKey);

    expectError(answer, 429, 'rate_limit_exceeded');
    expectReadable(answer);
    expect(headerOf(answer, 'access-control-expose-headers')).toMatch(/\bRetry-After\b/);
  });
});
