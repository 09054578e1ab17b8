import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOwner, createToken } from '../../shared/api-key-token.ts';
import type { TextAnswer } from '../../smoke/stage/http-client.ts';
import { expectError, RunningStore, rateLimitOf } from './running-store.ts';

let staging: RunningStore;
let prod: RunningStore;
let key: string;
let otherStagesKey: string;

beforeAll(async () => {
  staging = await RunningStore.start();
  prod = await RunningStore.start({ stage: 'prod' });
  key = (await staging.issue()).apiKey;
  otherStagesKey = (await prod.issue()).apiKey;
});

afterAll(async () => {
  await prod?.[Symbol.asyncDispose]();
  await staging?.[Symbol.asyncDispose]();
});

const listAs = (authorization: string, store = staging) =>
  store.call('GET', '/store/orders', { headers: { authorization } });

/** A key with another character in one place. */
function changed(token: string, at: number): string {
  const other = token[at] === 'a' ? 'b' : 'a';
  return token.slice(0, at) + other + token.slice(at + 1);
}

async function revokedKey(): Promise<string> {
  const issued = await staging.issue();
  expect((await staging.list(issued.apiKey)).status).toBe(200);
  await staging.revoke(issued);
  return issued.apiKey;
}

const nowSeconds = () => Math.floor(Date.now() / 1_000);
const expiredKey = async () =>
  (await staging.issue('free', { expiresAt: nowSeconds() - 1 })).apiKey;

const refused: [string, () => Promise<TextAnswer>][] = [
  ['no header', () => staging.list()],
  ['an empty header', () => listAs('')],
  ['another scheme', () => listAs(`Basic ${key}`)],
  ['the scheme alone', () => listAs('Bearer')],
  ['the key alone', () => listAs(key)],
  ['two spaces', () => listAs(`Bearer  ${key}`)],
  ['a tab', () => listAs(`Bearer\t${key}`)],
  ['something after the key', () => listAs(`Bearer ${key} x`)],
  ['a character less', () => listAs(`Bearer ${key.slice(0, -1)}`)],
  ['a character more', () => listAs(`Bearer ${key}0`)],
  ['the key in lower case', () => listAs(`Bearer ${key.toLowerCase()}`)],
  ['one character of the prefix changed', () => listAs(`Bearer ${changed(key, 1)}`)],
  ['one character of the secret changed', () => listAs(`Bearer ${changed(key, 20)}`)],
  ['one character of the checksum changed', () => listAs(`Bearer ${changed(key, 53)}`)],
  [
    'a key that was never issued',
    () => listAs(`Bearer ${createToken('so_test_', createOwner('so_test_').seed)}`),
  ],
  ["the other stage's key", () => listAs(`Bearer ${otherStagesKey}`)],
  [
    "a key with the other stage's prefix",
    () => listAs(`Bearer ${createToken('so_live_', createOwner('so_live_').seed)}`),
  ],
  ['a revoked key', async () => listAs(`Bearer ${await revokedKey()}`)],
  ['an expired key', async () => listAs(`Bearer ${await expiredKey()}`)],
  ['the key in the query', () => staging.call('GET', `/store/orders?api_key=${key}`)],
  ['an API key of the gateway', () => staging.call('GET', '/store/orders', gatewayKey(key))],
];

const gatewayKey = (value: string) => ({ headers: { 'x-api-key': value } });

describe('authentication', () => {
  it.each(refused)(
    'Authentication rule 3: refuses %s with the one answer to all',
    async (_, ask) => {
      const [answer, reference] = [await ask(), await staging.list()];

      expectError(answer, 401, 'unauthorized');
      expect(answer.text).toBe(reference.text);
      expect(steadyHeaders(answer)).toEqual(steadyHeaders(reference));
      expect(answer.headers.get('www-authenticate')).toEqual(['Bearer']);
      expect(rateLimitOf(answer)).toEqual({ limit: 0, remaining: 0, reset: 0 });
    },
  );

  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])(
    'Authentication rule 1: takes the key as a bearer token, after %s',
    async (scheme) => {
      expect((await listAs(`${scheme} ${key}`)).status).toBe(200);
    },
  );

  it.each([
    ['GET', '/store/orders'],
    ['DELETE', '/store/orders/1'],
    ['GET', '/pets/1'],
  ])('Authentication rule 2: is required for %s %s', async (method, path) => {
    const [without, withKey] = await Promise.all([
      staging.call(method, path),
      staging.call(method, path, { token: key }),
    ]);

    expectError(without, 401, 'unauthorized');
    expect(withKey.status).not.toBe(401);
  });

  it('What the service does, rule 4: has keys of its own in each of two deployments', async () => {
    const answers = [
      await listAs(`Bearer ${key}`, staging),
      await listAs(`Bearer ${otherStagesKey}`, prod),
      await listAs(`Bearer ${key}`, prod),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 401]);
    expect(answers[2]!.text).toBe((await staging.list()).text);
    expect([staging, prod].map(({ baseUrl }) => new URL(baseUrl).pathname)).toEqual([
      '/staging/v1',
      '/prod/v1',
    ]);
  });

  it('costs an owner nothing to be refused', async () => {
    const [issued, revoked] = [await staging.issue('free'), await staging.issue('free')];
    await staging.setOwnerStatus(issued, 'suspended');
    await staging.revoke(revoked);
    const before = [await staging.ownerItem(issued), await staging.ownerItem(revoked)];

    const statuses = [await staging.list(issued.apiKey), await staging.list(revoked.apiKey)].map(
      ({ status }) => status,
    );

    expect(statuses).toEqual([401, 401]);
    expect([await staging.ownerItem(issued), await staging.ownerItem(revoked)]).toEqual(before);
  });

  it('refuses all keys of a suspended owner, until it is resumed', async () => {
    const one = await staging.issue('free');
    const keys = [one, await staging.issueAnother(one)];
    const statuses = () =>
      Promise.all(keys.map(async ({ apiKey }) => (await staging.list(apiKey)).status));
    expect(await statuses()).toEqual([200, 200]);

    await staging.setOwnerStatus(one, 'suspended');
    const suspended = await statuses();
    await staging.setOwnerStatus(one, 'active');

    expect(suspended).toEqual([401, 401]);
    expect(await statuses()).toEqual([200, 200]);
  });

  it('leaves no key in the log', async () => {
    await staging.list(key);
    await listAs(`Bearer ${changed(key, 20)}`);

    expect(staging.lines.length).toBeGreaterThan(0);
    expect(staging.lines.join('\n')).not.toContain(key.slice(8, 18));
  });
});

/** Without those that differ from one answer to the next. */
function steadyHeaders({ headers }: TextAnswer): Record<string, readonly string[]> {
  const steady = Object.fromEntries(headers);
  delete steady.date;
  delete steady['x-amzn-requestid'];
  delete steady['x-amz-apigw-id'];
  return steady;
}
