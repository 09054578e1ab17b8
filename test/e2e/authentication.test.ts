import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ownerCharactersLength, tokenChecksum } from '../../lambdas/shared/api-key.ts';
import { createOwner, createToken } from '../../shared/api-key-token.ts';
import type { TextAnswer } from '../../smoke/stage/http-client.ts';
import { expectError, RunningStore, rateLimitOf } from './running-store.ts';

const checksumLength = 6;
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

async function keyOfSuspendedOwner(): Promise<string> {
  const issued = await staging.issue();
  expect((await staging.list(issued.apiKey)).status).toBe(200);
  await staging.setOwnerStatus(issued, 'suspended');
  return issued.apiKey;
}

/** A well-formed key that was never issued: of no owner, or of the one that a key belongs to. */
function inventedKey(prefix: string, ownerOf?: string): string {
  const token = createToken(prefix, createOwner(prefix).seed);
  const ownerPart = (ownerOf ?? token).slice(0, prefix.length + ownerCharactersLength);
  const body = ownerPart + token.slice(ownerPart.length, -checksumLength);
  return body + tokenChecksum(body);
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
  ['a key that was never issued', () => listAs(`Bearer ${inventedKey('so_test_')}`)],
  [
    'a key that was never issued to an owner that there is',
    () => listAs(`Bearer ${inventedKey('so_test_', key)}`),
  ],
  ["the other stage's key", () => listAs(`Bearer ${otherStagesKey}`)],
  ["a key with the other stage's prefix", () => listAs(`Bearer ${inventedKey('so_live_')}`)],
  ['a revoked key', async () => listAs(`Bearer ${await revokedKey()}`)],
  ["a suspended owner's key", async () => listAs(`Bearer ${await keyOfSuspendedOwner()}`)],
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

  it('costs an owner nothing that is refused, and its other keys are served', async () => {
    const issued = await staging.issue('free');
    const other = await staging.issueAnother(issued);
    await staging.revoke(issued);
    const before = await staging.ownerItem(issued);

    await staging.list(issued.apiKey);
    await listAs(`Bearer ${inventedKey('so_test_', issued.apiKey)}`);

    expect(await staging.ownerItem(issued)).toEqual(before);
    expect((await staging.list(other.apiKey)).status).toBe(200);
  });

  it('leaves no key in the log', async () => {
    await staging.list(key);
    await listAs(`Bearer ${changed(key, 20)}`);

    expect(staging.lines.length).toBeGreaterThan(0);
    const log = staging.lines.join('\n');
    for (const secret of [key.slice(8, 18), key.slice(28, 38)]) expect(log).not.toContain(secret);
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
