import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { issueKey } from '../../../admin/keys/issue-key.ts';
import { describeKey } from '../../../admin/keys/key-description.ts';
import { listKeys } from '../../../admin/keys/list-keys.ts';
import { endedKeys, purgeGatewayKeys, purgeKeys } from '../../../admin/keys/purge-keys.ts';
import { revokeKey } from '../../../admin/keys/revoke-key.ts';
import { rotateKey } from '../../../admin/keys/rotate-key.ts';
import { unbanKey } from '../../../admin/keys/unban-key.ts';
import { whoisKey } from '../../../admin/keys/whois-key.ts';
import { setOwnerPlan } from '../../../admin/owners/set-owner-plan.ts';
import { hashToken } from '../../../lambdas/shared/api-key.ts';
import { createToken } from '../../../shared/api-key-token.ts';
import { type EmbeddedDynamoDb, startDynamoDb } from '../../helpers/embedded-dynamodb.ts';
import { day, KeyStage, minute, nowMs, nowSeconds } from './key-stage.ts';

let database: EmbeddedDynamoDb;
let stage: KeyStage;
beforeAll(async () => {
  database = await startDynamoDb();
});
beforeEach(async () => {
  stage = await KeyStage.create(database);
});
afterAll(() => database.stop());

const describeNow = async (key: { keyId: string }) => describeKey(await stage.find(key), nowMs);
const gatewayKeys = () => [...stage.gateway.keys.values()];

describe('issueKey', () => {
  it('stores hashes of the token and no part of it but its last four characters', async () => {
    const { apiKey } = await stage.issue();

    const stored = await stage.everything();

    const secret = apiKey.slice('so_test_'.length);
    for (let at = 0; at + 8 <= secret.length; at++) {
      expect(stored).not.toContain(secret.slice(at, at + 8));
    }
    expect(stored).toContain(hashToken(apiKey));
  });

  it('creates the owner where a plan is named, with one API Gateway key of its id', async () => {
    const { ownerId } = await stage.issue({ plan: 'pro' });

    expect(gatewayKeys()).toEqual([
      {
        name: `StoreOrders-staging-${ownerId}`,
        value: ownerId,
        usagePlanIds: new Set(['plan-pro']),
      },
    ]);
  });

  it('gives an owner that exists another key, which shares its plan and limits', async () => {
    const first = await stage.issue({ plan: 'pro' });

    const byName = await stage.issue({ plan: undefined });
    const byId = await stage.issue({ plan: 'pro', owner: first.ownerId });

    for (const next of [byName, byId]) {
      expect(next).toMatchObject({ ownerId: first.ownerId, plan: 'pro', perMinute: 300 });
      expect(next.apiKey.slice(0, 28)).toBe(first.apiKey.slice(0, 28));
      expect(next.apiKey.slice(28)).not.toBe(first.apiKey.slice(28));
    }
    expect(gatewayKeys()).toHaveLength(1);
  });

  it.each([
    [{ plan: 'pro' as const }, /has plan free and not pro.*"owners set-plan own_\w+ pro"/],
    [{ perMinute: 30 }, /has perMinute 60 and not 30/],
  ])(
    'refuses what contradicts the owner, and names the command that changes it: %j',
    async (request, message) => {
      await stage.issue();

      await expect(stage.issue(request)).rejects.toThrow(message);
    },
  );

  it('refuses an unknown owner without a plan, and says what to do', async () => {
    await expect(stage.issue({ plan: undefined })).rejects.toThrow(
      /There is no owner "Acme": create it with "owners create", or name the --plan/,
    );
    expect(stage.gateway.changes).toEqual([]);
  });

  it.each(['', '  ', 'two\nlines', 'x'.repeat(201), '\u001b[31mred'])(
    'refuses the owner %j',
    async (owner) => {
      await expect(stage.issue({ owner })).rejects.toThrow(
        /^owner: .*expected 1 to 200 characters/,
      );
      expect(stage.gateway.changes).toEqual([]);
    },
  );

  it.each(['owner', 'label'] as const)(
    'refuses a token as %s, and does not repeat it',
    async (field) => {
      const token = createToken('so_live_', 'c2VlZA');

      const refused = stage.issue({ [field]: token });

      await expect(refused).rejects.toThrow(`${field}: this looks like a bearer token`);
      await expect(refused).rejects.not.toThrow(token.slice(8, 20));
    },
  );

  it('asks for the limits of a plan that has none of its own', async () => {
    await expect(stage.issue({ plan: 'enterprise' })).rejects.toThrow(/^perMinute: missing; /);

    const issued = await stage.issue({ plan: 'enterprise', perMinute: 5, perDay: 50 });
    expect(issued).toMatchObject({ perMinute: 5, perDay: 50 });
  });
});

describe('issueKey, interrupted at any write', () => {
  // Of a new owner: its name, its details, its item; then the key's details and its entry.
  const writes = [1, 2, 3, 4, 5];

  it.each(writes)(
    'leaves no token that works when write %i fails, and can be run again',
    async (write) => {
      const store = stage.failingAt(write, 'before');

      await expect(issueKey({ plan: 'free', owner: 'Acme' }, store)).rejects.toThrow(/run .*again/);
      const left = await listKeys({}, stage.store);
      const issued = await stage.issue();

      expect(left.filter(({ status }) => status === 'active')).toEqual([]);
      expect(await describeNow(issued)).toMatchObject({ status: 'active', owner: 'Acme' });
    },
  );

  it.each(writes)(
    'ends with a key that works when only the answer to write %i was lost',
    async (write) => {
      const store = stage.failingAt(write, 'after');

      const first = await issueKey({ plan: 'free', owner: 'Acme' }, store).catch(() => undefined);
      const issued = first ?? (await stage.issue());

      expect(await describeNow(issued)).toMatchObject({ status: 'active' });
      expect(await listKeys({ status: 'unfinished' }, stage.store)).toEqual([]);
    },
  );

  it.each(['createApiKey', 'createUsagePlanKey', 'findApiKeys'] as const)(
    'leaves no token that works when %s fails, and can be run again',
    async (call) => {
      stage.gateway.fail(call, 2);

      await expect(stage.issue()).rejects.toThrow(
        `${call}: Too Many Requests; run the command again`,
      );
      expect(await listKeys({}, stage.store)).toEqual([]);
      await stage.issue().catch(() => stage.issue());

      expect(await listKeys({ status: 'active' }, stage.store)).toHaveLength(1);
      expect(gatewayKeys()).toHaveLength(1);
    },
  );

  it('names what repairs it when it cannot clean up either', async () => {
    await stage.issue();
    const store = stage.failingAt(2, 'before', 2);

    const failed = issueKey({ owner: 'Acme' }, store);

    await expect(failed).rejects.toThrow(/run "keys revoke key_\w{32}", then this command again/);
  });
});

describe('rotateKey', () => {
  it('issues a key of the same owner; the old one expires after the grace', async () => {
    const old = await stage.issue({ plan: 'pro', label: 'the shop' });

    const next = await rotateKey(old.keyId, { graceSeconds: 3_600 }, stage.store);

    expect(next).toMatchObject({
      owner: 'Acme',
      ownerId: old.ownerId,
      plan: 'pro',
      label: 'the shop',
      previousKeyId: old.keyId,
      previousExpiresAt: nowSeconds + 3_600,
    });
    expect(await describeNow(old)).toMatchObject({
      status: 'active',
      expiresAt: '2026-11-20T10:30:15Z',
      replacedBy: next.keyId,
    });
    expect(await describeNow(next)).toMatchObject({ expiresAt: null, replaces: old.keyId });
  });

  it('gives no fresh allowance: both keys count in what the owner has used', async () => {
    const old = await stage.issue();
    await stage.set(old, { minuteWindow: minute, minuteCount: 60, dayWindow: day, dayCount: 60 });

    const second = await rotateKey(old.keyId, { graceSeconds: 0 }, stage.store);
    const third = await rotateKey(second.keyId, { graceSeconds: 0 }, stage.store);

    for (const key of [old, second, third]) {
      expect((await describeNow(key)).usage).toMatchObject({
        minute: { used: 60, remaining: 0 },
        day: { used: 60 },
      });
    }
  });

  it('hands on a ban, and the rejections that lead to one', async () => {
    const old = await stage.issue();
    await stage.set(old, {
      'key.bannedUntil': nowSeconds + 200,
      'key.rejectionWindow': minute,
      'key.rejectionCount': 181,
    });

    const next = await rotateKey(old.keyId, { graceSeconds: 0 }, stage.store);

    expect(await describeNow(next)).toMatchObject({
      status: 'banned',
      bannedUntil: new Date((nowSeconds + 200) * 1_000).toISOString().replace('.000', ''),
      rejectionsThisMinute: 181,
    });
  });

  it('hands on a ban that begins while it rotates', async () => {
    const old = await stage.issue();
    let isBanned = false;
    const send = stage.store.documents.send.bind(stage.store.documents) as never as (command: {
      input: { TableName: string; UpdateExpression?: string };
    }) => Promise<unknown>;
    const documents = new Proxy(stage.store.documents, {
      get: (target, name) => {
        if (name !== 'send') return Reflect.get(target, name, target);
        return async (command: Parameters<typeof send>[0]) => {
          const { TableName, UpdateExpression } = command.input;
          if (!isBanned && UpdateExpression && TableName === stage.store.apiKeysTable) {
            isBanned = true;
            await stage.set(old, { 'key.bannedUntil': nowSeconds + 100 });
          }
          return send(command);
        };
      },
    });

    const next = await rotateKey(old.keyId, { graceSeconds: 0 }, { ...stage.store, documents });

    expect((await describeNow(next)).status).toBe('banned');
  });

  it('never gives a key more time than it had, and hands its expiry on', async () => {
    const old = await stage.issue({ expiresAt: nowSeconds + 60 });

    const next = await rotateKey(old.keyId, { graceSeconds: 3_600 }, stage.store);

    expect(next).toMatchObject({ previousExpiresAt: nowSeconds + 60, expiresAt: nowSeconds + 60 });
  });

  it('gives the new key the expiry that is asked for', async () => {
    const old = await stage.issue();

    const expiresAt = nowSeconds + 7_200;
    const next = await rotateKey(old.keyId, { graceSeconds: 0, expiresAt }, stage.store);

    expect((await describeNow(next)).expiresAt).toBe('2026-11-20T11:30:15Z');
    expect((await describeNow(old)).status).toBe('expired');
  });

  it.each(['revoked', 'expired'] as const)('refuses a key that is %s', async (status) => {
    const key = await stage.issue(status === 'expired' ? { expiresAt: nowSeconds } : {});
    if (status === 'revoked') await revokeKey(await stage.find(key), stage.store);

    await expect(rotateKey(key.keyId, { graceSeconds: 0 }, stage.store)).rejects.toThrow(
      `${key.keyId} is ${status} and cannot be rotated`,
    );
  });

  it('rotates a key once, though two operators do it at the same time', async () => {
    const { keyId } = await stage.issue();
    const rotate = () => rotateKey(keyId, { graceSeconds: 0 }, stage.store);

    const results = await Promise.allSettled([rotate(), rotate()]);
    const later = rotate();

    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(later).rejects.toThrow(/was rotated before and is replaced by key_\w{32}/);
    expect(await listKeys({ status: 'active' }, stage.store)).toHaveLength(1);
  });

  it.each([1, 2])('changes nothing when write %i fails, and can be run again', async (write) => {
    const old = await stage.issue();

    const failed = rotateKey(old.keyId, { graceSeconds: 0 }, stage.failingAt(write, 'before'));

    await expect(failed).rejects.toThrow(
      'No key was issued: connection lost; run the command again',
    );
    expect(await describeNow(old)).toMatchObject({ status: 'active', replacedBy: null });
    await rotateKey(old.keyId, { graceSeconds: 0 }, stage.store);
  });
});

describe('revokeKey', () => {
  it('removes the entry, so that the token is refused, and keeps what is known of the key', async () => {
    const key = await stage.issue({ label: 'the shop' });
    await stage.set(key, { 'key.usedAt': minute });

    const result = await revokeKey(await stage.find(key), stage.store);

    expect(result).toEqual({ keyId: key.keyId, wasActive: true });
    const found = await stage.find(key);
    expect(found.entry).toBeUndefined();
    expect(describeKey(found, nowMs)).toMatchObject({
      status: 'revoked',
      label: 'the shop',
      lastUsedAt: '2026-11-20T09:30:00Z',
      revokedAt: '2026-11-20T09:30:15.500Z',
    });
  });

  it('is completed by another run, and no error once it is', async () => {
    const key = await stage.issue();
    const failed = revokeKey(await stage.find(key), stage.failingAt(2, 'before'));
    await expect(failed).rejects.toThrow('run the command again to complete it');
    const between = (await describeNow(key)).status;

    await revokeKey(await stage.find(key), stage.store);
    const again = await revokeKey(await stage.find(key), stage.store);

    expect(between).toBe('unfinished');
    expect([(await describeNow(key)).status, again.wasActive]).toEqual(['revoked', false]);
  });

  it("leaves the owner's other keys alone", async () => {
    const [revoked, other] = [await stage.issue(), await stage.issue()];

    await revokeKey(await stage.find(revoked), stage.store);

    expect((await describeNow(other)).status).toBe('active');
  });
});

describe('unbanKey', () => {
  it('lifts the ban of the one key and forgets its rejections', async () => {
    const [banned, other] = [await stage.issue(), await stage.issue()];
    for (const key of [banned, other]) {
      await stage.set(key, {
        'key.bannedUntil': nowSeconds + 100,
        'key.rejectionWindow': minute,
        'key.rejectionCount': 5,
      });
    }

    const result = await unbanKey(banned.keyId, stage.store);

    expect(result).toMatchObject({ wasBanned: true, status: 'active', rejectionsThisMinute: 0 });
    expect(await describeNow(other)).toMatchObject({ status: 'banned', rejectionsThisMinute: 5 });
  });

  it('is no error for a key that is not banned, and one for a key that is revoked', async () => {
    const key = await stage.issue();
    expect((await unbanKey(key.keyId, stage.store)).wasBanned).toBe(false);

    await revokeKey(await stage.find(key), stage.store);

    await expect(unbanKey(key.keyId, stage.store)).rejects.toThrow(`${key.keyId} is revoked`);
  });
});

describe('whoisKey', () => {
  it('tells whose a token is, also when it is revoked', async () => {
    const key = await stage.issue();
    const before = await whoisKey(` ${key.apiKey}\n`, stage.store);
    await revokeKey(before, stage.store);

    const after = await whoisKey(key.apiKey, stage.store);

    expect([before.keyId, after.keyId]).toEqual([key.keyId, key.keyId]);
    expect(describeKey(after, nowMs)).toMatchObject({ owner: 'Acme', status: 'revoked' });
  });

  it('repeats no part of a token that it does not know', async () => {
    const { apiKey } = await stage.issue();
    const mistyped = `${apiKey.slice(0, -1)}_`;
    const unknown = createToken('so_test_', 'c2VlZA');

    for (const token of [mistyped, unknown, '']) {
      const error = await whoisKey(token, stage.store).catch(({ message }) => String(message));
      expect(error).toMatch(/^token: what standard input holds|^No key of this stage/);
      if (token) expect(error).not.toContain(token.slice(8, 16));
    }
  });
});

describe('purgeKeys', () => {
  it('forgets keys that ended before the moment asked for, and no others', async () => {
    const [active, revoked, expired, expiring] = [
      await stage.issue(),
      await stage.issue(),
      await stage.issue({ expiresAt: nowSeconds - 60 }),
      await stage.issue({ expiresAt: nowSeconds + 60 }),
    ];
    await revokeKey(await stage.find(revoked), stage.store);

    await purgeKeys(await endedKeys(nowSeconds + 1, stage.store), stage.store);

    const left = (await listKeys({}, stage.store)).map(({ keyId }) => keyId).sort();
    expect(left).toEqual([active.keyId, expiring.keyId].sort());
    await expect(whoisKey(expired.apiKey, stage.store)).rejects.toThrow('No key of this stage');
  });

  it("deletes the stage's API Gateway keys and no other stack's", async () => {
    await stage.issue();
    await stage.issue({ owner: 'Initech' });
    const foreign = { name: 'StoreOrders-staging-2-x', value: 'foreign', enabled: true } as const;
    await stage.gateway.createApiKey(foreign);

    const deleted = await purgeGatewayKeys(stage.store);

    expect([deleted, gatewayKeys().map(({ name }) => name)]).toEqual([2, [foreign.name]]);
  });
});

describe('describeKey', () => {
  it('tells what the owner has used of the present minute and day', async () => {
    const key = await stage.issue();
    await stage.set(key, { minuteWindow: minute, minuteCount: 7, dayWindow: day, dayCount: 70 });

    expect((await describeNow(key)).usage).toEqual({
      minute: { limit: 60, used: 7, remaining: 53, resetsAt: '2026-11-20T09:31:00Z' },
      day: { limit: 1_000, used: 70, remaining: 930, resetsAt: '2026-11-21T00:00:00Z' },
    });
  });

  it('counts nothing of a minute or day that is over, and no ban that has ended', async () => {
    const key = await stage.issue();
    await stage.set(key, {
      minuteWindow: minute - 60,
      minuteCount: 60,
      dayWindow: day - 86_400,
      dayCount: 1_000,
      'key.bannedUntil': nowSeconds,
      'key.rejectionWindow': minute - 60,
      'key.rejectionCount': 9,
    });

    expect(await describeNow(key)).toMatchObject({
      status: 'active',
      bannedUntil: null,
      rejectionsThisMinute: 0,
      usage: { minute: { used: 0 }, day: { used: 0 } },
    });
  });

  it('shows a plan that was changed at once', async () => {
    const key = await stage.issue();

    await setOwnerPlan('Acme', { plan: 'pro' }, stage.store);

    expect(await describeNow(key)).toMatchObject({ plan: 'pro', perMinute: 300, perDay: 10_000 });
  });

  it('calls a key expired from the second on in which the authorizer refuses it', async () => {
    const key = await stage.find(await stage.issue({ expiresAt: nowSeconds + 1 }));

    const at = (seconds: number) => describeKey(key, seconds * 1_000).status;

    expect([at(nowSeconds), at(nowSeconds + 1)]).toEqual(['active', 'expired']);
  });
});

describe('findKey', () => {
  it.each(['key_', 'key_abc', 'abc', ''])('asks for a whole id when given %j', async (keyId) => {
    await expect(stage.find({ keyId })).rejects.toThrow(/^key id: .*expected a whole one/);
  });

  it('does not repeat a token that was given in place of an id', async () => {
    const token = createToken('so_live_', 'c2VlZA');

    const refused = stage.find({ keyId: token });

    await expect(refused).rejects.toThrow(/^key id: this looks like a bearer token/);
    await expect(refused).rejects.not.toThrow(token.slice(8, 20));
  });

  it('says where to look when there is no such key', async () => {
    const keyId = `key_${'0'.repeat(32)}`;

    await expect(stage.find({ keyId })).rejects.toThrow(`No key has the id ${keyId}; "keys list"`);
  });
});

describe('listKeys', () => {
  it('has what each filter asks for', async () => {
    const acme = await stage.issue();
    const initech = await stage.issue({ owner: 'Initech', plan: 'pro' });
    await stage.set(initech, { 'key.bannedUntil': nowSeconds + 9 });

    const idsOf = async (filter: Parameters<typeof listKeys>[0]) =>
      (await listKeys(filter, stage.store)).map(({ keyId }) => keyId);

    expect((await idsOf({})).sort()).toEqual([acme.keyId, initech.keyId].sort());
    expect(await idsOf({ owner: 'acme' })).toEqual([acme.keyId]);
    expect(await idsOf({ plan: 'pro' })).toEqual([initech.keyId]);
    expect(await idsOf({ status: 'banned' })).toEqual([initech.keyId]);
  });
});
