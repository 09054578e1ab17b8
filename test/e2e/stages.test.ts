import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { plans } from '../../lib/settings/plans.ts';
import type { IssuedKey } from '../../tools/admin/keys/key-draft.ts';
import type { TextAnswer } from '../../tools/smoke/stage/http-client.ts';
import { type EmbeddedDynamoDb, startDynamoDb } from '../helpers/dynamodb/embedded-dynamodb.ts';
import { assemblyDirectory } from '../helpers/synthesized.ts';
import { synthesize } from '../lib/stack-factory.ts';
import { expectError, headerOf, RunningStore, rateLimitOf } from './running-store.ts';

/*
 * What a stage's configuration decides: whose keys it takes, and which web pages may call it. One runs
 * as prod, the other as a staging that allows an origin.
 */

const origin = 'https://shop.example.com';

let database: EmbeddedDynamoDb;
let prod: RunningStore;
let staging: RunningStore;
let key: IssuedKey;

beforeAll(async () => {
  const templateFile = `${assemblyDirectory()}/cors-${process.pid}.json`;
  await writeFile(templateFile, JSON.stringify(synthesize('staging', { corsOrigin: origin })));
  database = await startDynamoDb();
  const dynamodbEndpoint = database.endpoint;
  [prod, staging] = await Promise.all([
    RunningStore.start({ stage: 'prod', dynamodbEndpoint }),
    RunningStore.start({ templateFile, dynamodbEndpoint }),
  ]);
  key = await staging.issue('free');
  await staging.putOrders([{ id: '1', status: 'pending' }]);
});

afterAll(async () => {
  await prod?.[Symbol.asyncDispose]();
  await staging?.[Symbol.asyncDispose]();
  await database?.stop();
});

const nowSeconds = () => Math.floor(Date.now() / 1_000);

describe('a key', () => {
  it('R2, I19: is of one of two deployments, each with a base address of its own', async () => {
    const other = (await prod.issue()).apiKey;

    const answers = [
      await prod.list(other),
      await prod.list(key.apiKey),
      await staging.list(other),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 401, 401]);
    expect([staging, prod].map(({ baseUrl }) => new URL(baseUrl).pathname)).toEqual([
      '/staging/v1',
      '/prod/v1',
    ]);
    const outside = await fetch(`${staging.service.origin}/staging/store/orders`);
    expect(outside.status).toBe(404);
  });

  it.each([
    ['revoked', (issued: IssuedKey) => staging.revoke(issued)],
    ['expired', () => {}],
  ])('R18, I16: is refused like any other once it is %s, and costs nothing', async (state, end) => {
    const expiresAt = nowSeconds() - 1;
    const issued = await staging.issue('free', state === 'expired' ? { expiresAt } : {});
    if (state === 'revoked') expect((await staging.list(issued.apiKey)).status).toBe(200);
    await end(issued);
    const before = await staging.keyItem(issued);

    const answer = await staging.list(issued.apiKey);

    expectError(answer, 401, 'unauthorized');
    expect(answer.text).toBe((await staging.list('wrong')).text);
    expect(rateLimitOf(answer)).toEqual({ limit: 0, remaining: 0, reset: 0 });
    expect(await staging.keyItem(issued)).toEqual(before);
  });
});

describe('a stage that allows no origin', () => {
  it('I11: admits no web page', async () => {
    const headers = { origin, 'access-control-request-method': 'GET' };
    const token = (await prod.issue()).apiKey;

    const answers = [
      await prod.call('OPTIONS', '/store/orders', { headers }),
      await prod.call('GET', '/store/orders', { token, headers }),
      await prod.call('GET', '/store/orders', { headers }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([404, 200, 401]);
    const names = answers.flatMap((answer) => [...answer.headers.keys()]);
    expect(names.filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });
});

const asked = (method: string, path: string, token: string | undefined = key.apiKey) =>
  staging.call(method, path, { token, headers: { origin } });

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

      const answer = await staging.call('OPTIONS', path, {
        headers: {
          origin,
          'access-control-request-method': method,
          'access-control-request-headers': 'authorization',
        },
      });

      expect([answer.status, answer.text]).toEqual([204, '']);
      expectReadable(answer);
      expect(headerOf(answer, 'access-control-allow-methods').split(', ')).toContain(method);
      expect(headerOf(answer, 'access-control-allow-headers')).toMatch(/\bAuthorization\b/);
      expect(headerOf(answer, 'access-control-max-age')).toMatch(/^\d+$/);
      expect(rateLimitOf(answer)).toEqual({ limit: 0, remaining: 0, reset: 0 });
      expect(rateLimitOf(await asked('GET', '/pets/7')).remaining).toBe(before - 1);
    },
  );

  it.each([
    ['a list is streamed', () => asked('GET', '/store/orders'), 200],
    ['an order is cancelled', () => asked('DELETE', '/store/orders/1'), 204],
    ['a function refuses', () => asked('DELETE', '/store/orders/007'), 400],
    ['the key is refused', () => asked('GET', '/store/orders', 'wrong'), 401],
    ['the path is unknown', () => asked('GET', '/nothing'), 404],
    ['the method is unknown', () => asked('PUT', '/store/orders'), 404],
    ['the operation is retired', () => asked('GET', '/pets/7'), 410],
    ['the limit is used up', askBeyondLimit, 429],
  ])('I11: lets its scripts read the answer where %s', async (_, ask, status) => {
    const answer = await ask();

    expect(answer.status).toBe(status);
    expectReadable(answer);
  });
});

async function askBeyondLimit(): Promise<TextAnswer> {
  const spent = await staging.issue('free');
  await staging.setCounters(spent, { minuteCount: plans.free.perMinute });
  return asked('GET', '/store/orders', spent.apiKey);
}
