import { GetItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { findKey } from '../../../admin/keys/find-key.ts';
import { issueKey, type KeyRequest } from '../../../admin/keys/issue-key.ts';
import { describeKey } from '../../../admin/keys/key-description.ts';
import { listKeys } from '../../../admin/keys/list-keys.ts';
import { revokeKey } from '../../../admin/keys/revoke-key.ts';
import { rotateKey } from '../../../admin/keys/rotate-key.ts';
import { setKeyPlan } from '../../../admin/keys/set-key-plan.ts';
import { unbanKey } from '../../../admin/keys/unban-key.ts';
import type { KeyStore } from '../../../admin/stage/key-store.ts';
import { hashToken } from '../../../lambdas/shared/api-key.ts';
import { type EmbeddedDynamoDb, startDynamoDb } from '../../helpers/embedded-dynamodb.ts';
import { type FakeGateway, fakeGateway } from './fake-gateway.ts';

const nowMs = Date.parse('2026-11-20T09:30:15.500Z');
const nowSeconds = Math.floor(nowMs / 1_000);
const minute = Date.parse('2026-11-20T09:30:00Z') / 1_000;
const day = Date.parse('2026-11-20T00:00:00Z') / 1_000;

let database: EmbeddedDynamoDb;
let gateway: FakeGateway;
let store: KeyStore;

beforeAll(async () => {
  database = await startDynamoDb();
});
afterAll(() => database.stop());
beforeEach(async () => {
  gateway = fakeGateway();
  store = {
    dynamodb: database.dynamodb,
    gateway,
    apiKeysTable: await database.createApiKeysTable(),
    usagePlanIds: { free: 'plan-free', pro: 'plan-pro', business: 'plan-b', enterprise: 'plan-e' },
    stackName: 'StoreOrders-staging',
    tokenPrefix: 'so_test_',
    now: () => nowMs,
  };
});

const issue = (request: Partial<KeyRequest> = {}) =>
  issueKey({ plan: 'free', owner: 'Acme', ...request }, store);
const items = () => database.readAll(store.apiKeysTable);
const itemOf = (keyId: string) => findKey(keyId, store);
const gatewayKeys = () => [...gateway.keys.values()];

/** Lets DynamoDB fail the next calls of a kind, after or instead of carrying them out. */
function failDynamoDb(command: unknown, when: 'before' | 'after', times = 1) {
  const send = database.dynamodb.send.bind(database.dynamodb) as (
    call: unknown,
  ) => Promise<unknown>;
  let left = times;
  const failing = async (call: object) => {
    const fails = call.constructor === command && left-- > 0;
    if (fails && when === 'before') throw new Error('connection lost');
    const answer = await send(call);
    if (fails) throw new Error('connection lost');
    return answer;
  };
  store = { ...store, dynamodb: { send: failing } as never };
}

async function set(keyId: string, changes: Record<string, number>): Promise<void> {
  const names = Object.keys(changes);
  await database.dynamodb.send(
    new UpdateItemCommand({
      TableName: store.apiKeysTable,
      Key: { keyHash: (await itemOf(keyId)).keyHash! },
      UpdateExpression: `SET ${names.map((name) => `${name} = :${name}`).join(', ')}`,
      ExpressionAttributeValues: Object.fromEntries(
        names.map((name) => [`:${name}`, { N: String(changes[name]) }]),
      ),
    }),
  );
}

describe('issueKey', () => {
  it('stores the hash of the token and never the token', async () => {
    const { apiKey, keyId } = await issue({ expiresAt: nowSeconds + 60 });

    expect(await items()).toEqual([
      {
        keyHash: { S: hashToken(apiKey) },
        keyId: { S: keyId },
        owner: { S: 'Acme' },
        plan: { S: 'free' },
        perMinute: { N: '60' },
        perDay: { N: '1000' },
        status: { S: 'active' },
        createdAt: { S: '2026-11-20T09:30:15.500Z' },
        expiresAt: { N: String(nowSeconds + 60) },
        minuteWindow: { N: '0' },
        minuteCount: { N: '0' },
        dayWindow: { N: '0' },
        dayCount: { N: '0' },
        rejectionWindow: { N: '0' },
        rejectionCount: { N: '0' },
      },
    ]);
    expect(JSON.stringify([await items(), gatewayKeys()])).not.toContain(apiKey);
  });

  it("puts an API Gateway key whose value is the key id into the plan's usage plan", async () => {
    const { keyId } = await issue({ plan: 'pro' });

    expect(gatewayKeys()).toEqual([
      { name: `StoreOrders-staging-${keyId}`, value: keyId, usagePlanIds: new Set(['plan-pro']) },
    ]);
  });

  it.each(['', '  ', 'two\nlines', 'x'.repeat(201)])('refuses the owner %p', async (owner) => {
    await expect(issue({ owner })).rejects.toThrow(
      /^owner: .*expected a name of 1 to 200 characters/,
    );
    expect(gateway.changes).toEqual([]);
  });

  it.each(['createApiKey', 'createUsagePlanKey'] as const)(
    'leaves nothing behind when %s fails, and says to run it again',
    async (call) => {
      gateway.fail(call);

      await expect(issue()).rejects.toThrow(
        `No key was issued: ${call}: Too Many Requests; run the command again`,
      );
      expect(gatewayKeys()).toEqual([]);
      expect(await items()).toEqual([]);
    },
  );

  it('leaves nothing behind when DynamoDB fails', async () => {
    failDynamoDb(PutItemCommand, 'before');

    await expect(issue()).rejects.toThrow(
      'No key was issued: connection lost; run the command again',
    );
    expect(gatewayKeys()).toEqual([]);
  });

  it("issues the key when only DynamoDB's answer was lost", async () => {
    failDynamoDb(PutItemCommand, 'after');

    const { keyId } = await issue();

    expect((await items()).map((item) => item.keyId!.S)).toEqual([keyId]);
    expect(gatewayKeys().map(({ value }) => value)).toEqual([keyId]);
  });

  it('names what repairs it when it cannot clean up either', async () => {
    gateway.fail('createUsagePlanKey', 1);
    gateway.fail('deleteApiKey', 1);

    const error = await issue().catch((thrown: Error) => thrown);

    const [, keyId] = /run "keys revoke (key_\w+)", then this command again$/.exec(
      (error as Error).message,
    )!;
    expect(gatewayKeys().map(({ value }) => value)).toEqual([keyId]);
    await revokeKey(keyId!, store);
    expect(gatewayKeys()).toEqual([]);
  });
});

describe('rotateKey', () => {
  it('issues a key with the same owner, plan and limits; the old one expires after the grace', async () => {
    const old = await issue({ plan: 'enterprise', perMinute: 700, perDay: 9_000 });

    const rotated = await rotateKey(old.keyId, { graceSeconds: 3_600 }, store);

    expect(rotated).toMatchObject({
      plan: 'enterprise',
      owner: 'Acme',
      perMinute: 700,
      perDay: 9_000,
      previousKeyId: old.keyId,
      previousExpiresAt: nowSeconds + 3_600,
    });
    expect(rotated.keyId).not.toBe(old.keyId);
    expect(rotated.expiresAt).toBeUndefined();
    const before = await itemOf(old.keyId);
    expect(before.expiresAt).toEqual({ N: String(nowSeconds + 3_600) });
    expect(before.replacedBy).toEqual({ S: rotated.keyId });
    expect((await itemOf(rotated.keyId)).replaces).toEqual({ S: old.keyId });
    expect(gatewayKeys()).toHaveLength(2);
  });

  it('never gives a key more time than it had, and hands its expiry on', async () => {
    const old = await issue({ expiresAt: nowSeconds + 100 });

    const rotated = await rotateKey(old.keyId, { graceSeconds: 3_600 }, store);

    expect(rotated.previousExpiresAt).toBe(nowSeconds + 100);
    expect(rotated.expiresAt).toBe(nowSeconds + 100);
  });

  it('gives the new key the expiry that is asked for', async () => {
    const old = await issue({ expiresAt: nowSeconds + 100 });

    const rotated = await rotateKey(
      old.keyId,
      { graceSeconds: 0, expiresAt: nowSeconds + 999 },
      store,
    );

    expect(rotated).toMatchObject({ previousExpiresAt: nowSeconds, expiresAt: nowSeconds + 999 });
  });

  it.each([
    ['revoked', async (keyId: string) => void (await revokeKey(keyId, store))],
    ['expired', (keyId: string) => set(keyId, { expiresAt: nowSeconds })],
  ])('refuses a key that is %s', async (status, make) => {
    const { keyId } = await issue();
    await make(keyId);
    gateway.changes.length = 0;

    await expect(rotateKey(keyId, { graceSeconds: 60 }, store)).rejects.toThrow(
      `${keyId} is ${status} and cannot be rotated; "keys issue" makes its owner a new one`,
    );
    expect(gateway.changes).toEqual([]);
  });

  it('refuses a key that was rotated before, naming the one to rotate', async () => {
    const { keyId } = await issue();
    const { keyId: next } = await rotateKey(keyId, { graceSeconds: 60 }, store);

    await expect(rotateKey(keyId, { graceSeconds: 60 }, store)).rejects.toThrow(
      `is replaced by ${next}; rotate that one`,
    );
  });

  it('rotates a key once, though two operators do it at the same time', async () => {
    const { keyId } = await issue();

    const outcomes = await Promise.allSettled([
      rotateKey(keyId, { graceSeconds: 60 }, store),
      rotateKey(keyId, { graceSeconds: 60 }, store),
    ]);

    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await items()).toHaveLength(2);
    expect(gatewayKeys()).toHaveLength(2);
  });

  it('changes nothing when API Gateway fails', async () => {
    const { keyId } = await issue();
    gateway.fail('createUsagePlanKey');

    await expect(rotateKey(keyId, { graceSeconds: 60 }, store)).rejects.toThrow(
      'run the command again',
    );
    expect(await items()).toHaveLength(1);
    expect(gatewayKeys()).toHaveLength(1);
    expect((await itemOf(keyId)).expiresAt).toBeUndefined();
  });
});

describe('revokeKey', () => {
  it('marks the key in DynamoDB and deletes it in API Gateway', async () => {
    const { keyId } = await issue();

    expect(await revokeKey(keyId, store)).toEqual({ keyId, wasActive: true });

    expect(await itemOf(keyId)).toMatchObject({
      status: { S: 'revoked' },
      revokedAt: { S: '2026-11-20T09:30:15.500Z' },
    });
    expect(gatewayKeys()).toEqual([]);
  });

  it('refuses the key first: when API Gateway fails it says so, and run again it completes', async () => {
    const { keyId } = await issue();
    gateway.fail('deleteApiKey', 1);

    await expect(revokeKey(keyId, store)).rejects.toThrow(
      `${keyId} is revoked and its token refused already; its API Gateway key could not be deleted: ` +
        'deleteApiKey: Too Many Requests; run the command again',
    );
    expect((await itemOf(keyId)).status).toEqual({ S: 'revoked' });

    expect(await revokeKey(keyId, store)).toEqual({ keyId, wasActive: false });
    expect(gatewayKeys()).toEqual([]);
  });

  it('does not touch API Gateway when DynamoDB fails', async () => {
    const { keyId } = await issue();
    failDynamoDb(UpdateItemCommand, 'before');

    await expect(revokeKey(keyId, store)).rejects.toThrow('connection lost');
    expect(gatewayKeys()).toHaveLength(1);
  });

  it('says so when there is no such key', async () => {
    const keyId = `key_${'0'.repeat(32)}`;

    await expect(revokeKey(keyId, store)).rejects.toThrow(`No key has the id ${keyId}`);
  });
});

describe('setKeyPlan', () => {
  it('moves a key to another plan, in DynamoDB and in API Gateway', async () => {
    const { keyId } = await issue();

    const key = await setKeyPlan(keyId, 'pro', {}, store);

    expect(key).toMatchObject({ plan: 'pro', perMinute: 300, perDay: 10_000 });
    expect(gatewayKeys().map(({ usagePlanIds }) => [...usagePlanIds])).toEqual([['plan-pro']]);
  });

  it('keeps what was used', async () => {
    const { keyId } = await issue();
    await set(keyId, { minuteWindow: minute, minuteCount: 7, dayWindow: day, dayCount: 70 });

    const { usage } = await setKeyPlan(keyId, 'business', {}, store);

    expect(usage.minute).toMatchObject({ used: 7, remaining: 993 });
    expect(usage.day).toMatchObject({ used: 70, remaining: 99_930 });
  });

  it('never lets the usage plan be the tighter one: to a larger plan API Gateway goes first', async () => {
    const { keyId } = await issue();
    failDynamoDb(UpdateItemCommand, 'before');

    await expect(setKeyPlan(keyId, 'pro', {}, store)).rejects.toThrow(
      `The plan of ${keyId} may be changed in part only: connection lost; run the command again`,
    );
    expect(gatewayKeys().map(({ usagePlanIds }) => [...usagePlanIds])).toEqual([['plan-pro']]);
    expect((await itemOf(keyId)).plan).toEqual({ S: 'free' });

    await setKeyPlan(keyId, 'pro', {}, store);
    expect((await itemOf(keyId)).plan).toEqual({ S: 'pro' });
  });

  it.each(['createUsagePlanKey', 'deleteUsagePlanKey'] as const)(
    'to a smaller plan DynamoDB goes first, and run again it repairs a failed %s',
    async (call) => {
      const { keyId } = await issue({ plan: 'pro' });
      gateway.fail(call, 1);

      await expect(setKeyPlan(keyId, 'free', {}, store)).rejects.toThrow('run the command again');
      expect((await itemOf(keyId)).perMinute).toEqual({ N: '60' });

      await setKeyPlan(keyId, 'free', {}, store);
      expect(gatewayKeys().map(({ usagePlanIds }) => [...usagePlanIds])).toEqual([['plan-free']]);
    },
  );

  it('makes the API Gateway key anew when somebody deleted it', async () => {
    const { keyId } = await issue();
    gateway.keys.clear();

    await setKeyPlan(keyId, 'free', {}, store);

    expect(gatewayKeys()).toEqual([
      { name: `StoreOrders-staging-${keyId}`, value: keyId, usagePlanIds: new Set(['plan-free']) },
    ]);
  });

  it('demands limits for the enterprise plan, and changes nothing without them', async () => {
    const { keyId } = await issue();
    gateway.changes.length = 0;

    await expect(setKeyPlan(keyId, 'enterprise', {}, store)).rejects.toThrow('perMinute: missing');
    expect(gateway.changes).toEqual([]);
  });

  it('refuses a revoked key', async () => {
    const { keyId } = await issue();
    await revokeKey(keyId, store);

    await expect(setKeyPlan(keyId, 'pro', {}, store)).rejects.toThrow(`${keyId} is revoked`);
  });
});

describe('unbanKey', () => {
  it('lifts the ban and forgives the rejections', async () => {
    const { keyId } = await issue();
    await set(keyId, {
      bannedUntil: nowSeconds + 300,
      rejectionWindow: minute,
      rejectionCount: 181,
    });

    const key = await unbanKey(keyId, store);

    expect(key).toMatchObject({ wasBanned: true, bannedUntil: null, rejectionsThisMinute: 0 });
    const item = await itemOf(keyId);
    expect(item.bannedUntil).toBeUndefined();
    expect(item.rejectionCount).toEqual({ N: '0' });
  });

  it('is no error for a key that is not banned', async () => {
    const { keyId } = await issue();

    expect(await unbanKey(keyId, store)).toMatchObject({ wasBanned: false, bannedUntil: null });
  });

  it('refuses a revoked key', async () => {
    const { keyId } = await issue();
    await revokeKey(keyId, store);

    await expect(unbanKey(keyId, store)).rejects.toThrow(`${keyId} is revoked for good`);
  });
});

describe('describeKey', () => {
  it('tells what is used of the present minute and day', async () => {
    const { keyId } = await issue();
    await set(keyId, {
      minuteWindow: minute,
      minuteCount: 60,
      dayWindow: day,
      dayCount: 412,
      rejectionWindow: minute,
      rejectionCount: 9,
      bannedUntil: nowSeconds + 30,
    });

    expect(describeKey(await itemOf(keyId), nowMs)).toMatchObject({
      status: 'active',
      usage: {
        minute: { limit: 60, used: 60, remaining: 0, resetsAt: '2026-11-20T09:31:00Z' },
        day: { limit: 1_000, used: 412, remaining: 588, resetsAt: '2026-11-21T00:00:00Z' },
      },
      rejectionsThisMinute: 9,
      bannedUntil: '2026-11-20T09:30:45Z',
    });
  });

  it('counts nothing of a minute or day that is over, and no ban that has ended', async () => {
    const { keyId } = await issue();
    await set(keyId, {
      minuteWindow: minute - 60,
      minuteCount: 60,
      dayWindow: day - 86_400,
      dayCount: 1_000,
      rejectionWindow: minute - 60,
      rejectionCount: 9,
      bannedUntil: nowSeconds,
    });

    expect(describeKey(await itemOf(keyId), nowMs)).toMatchObject({
      usage: { minute: { used: 0, remaining: 60 }, day: { used: 0, remaining: 1_000 } },
      rejectionsThisMinute: 0,
      bannedUntil: null,
    });
  });

  it('calls a key expired from the second on in which the authorizer refuses it', async () => {
    const { keyId } = await issue({ expiresAt: nowSeconds });

    expect(describeKey(await itemOf(keyId), nowMs).status).toBe('expired');
    expect(describeKey(await itemOf(keyId), nowMs - 1_000).status).toBe('active');
  });
});

describe('findKey', () => {
  it.each(['key_', 'key_abc', 'abc', ''])('asks for a whole id when given %p', async (keyId) => {
    await expect(findKey(keyId, store)).rejects.toThrow(
      `key id: ${JSON.stringify(keyId)} is not accepted; expected a whole one, "key_" and 32 characters`,
    );
  });

  it('does not repeat a token that was given in place of an id', async () => {
    const { apiKey } = await issue();

    const error: Error = await findKey(apiKey, store).catch((thrown) => thrown);

    expect(error.message).toContain('this is a bearer token');
    expect(error.message).not.toContain(apiKey.slice(8));
  });

  it('reads the key itself, which the index follows with a delay', async () => {
    const { keyId } = await issue();
    const send = jest.spyOn(database.dynamodb, 'send');

    await findKey(keyId, store);

    const reads = send.mock.calls.map(([command]) => command);
    expect(reads.find((command) => command instanceof GetItemCommand)!.input).toMatchObject({
      ConsistentRead: true,
    });
    send.mockRestore();
  });
});

describe('listKeys', () => {
  it('reads every page, and shows the newest first', async () => {
    for (let index = 0; index < 3; index++) {
      store = { ...store, now: () => nowMs + index * 1_000 };
      await issue({ owner: `Owner ${index}` });
    }

    const keys = await listKeys(store);

    expect(keys.map(({ owner }) => owner)).toEqual(['Owner 2', 'Owner 1', 'Owner 0']);
    expect(keys[0]).toMatchObject({ plan: 'free', status: 'active', expiresAt: null });
  });
});
