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

/** A token with one character changed. */
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
  it.each(refused)('R18, I16: refuses %s with the one answer to all', async (_, ask) => {
    const [answer, reference] = [await ask(), await staging.list()];

    expectError(answer, 401, 'unauthorized');
    expect(answer.text).toBe(reference.text);
    expect(steadyHeaders(answer)).toEqual(steadyHeaders(reference));
    expect(answer.headers.get('www-authenticate')).toEqual(['Bearer realm="store-orders"']);
    expect(rateLimitOf(answer)).toEqual({ limit: 0, remaining: 0, reset: 0 });
  });

  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])(
    'R16: takes the key as a bearer token, after %s',
    async (scheme) => {
      expect((await listAs(`${scheme} ${key}`)).status).toBe(200);
    },
  );

  it.each([
    ['GET', '/store/orders', 200],
    ['DELETE', '/store/orders/1', 404],
    ['GET', '/pets/1', 410],
  ])('R17, I18: is required for %s %s, and any key will do', async (method, path, status) => {
    const [without, withKey] = await Promise.all([
      staging.call(method, path),
      staging.call(method, path, { token: key }),
    ]);

    expectError(without, 401, 'unauthorized');
    expect(withKey.status).toBe(status);
  });

  it('R2, I19: has keys of its own in each of two deployments', async () => {
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

  it('costs a key nothing that is refused', async () => {
    const issued = await staging.issue('free');
    await staging.revoke(issued);
    const before = await staging.keyItem(issued);

    await staging.list(issued.apiKey);

    expect(await staging.keyItem(issued)).toEqual(before);
  });

  it('leaves no key in the log', async () => {
    await staging.list(key);
    await listAs(`Bearer ${changed(key, 20)}`);

    expect(staging.lines.length).toBeGreaterThan(0);
    expect(staging.lines.join('\n')).not.toContain(key.slice(8, 18));
  });
});

/** The headers of an answer, without those that are different in each answer. */
function steadyHeaders({ headers }: TextAnswer): Record<string, readonly string[]> {
  const steady = Object.fromEntries(headers);
  delete steady.date;
  delete steady['x-amzn-requestid'];
  delete steady['x-amz-apigw-id'];
  return steady;
}
