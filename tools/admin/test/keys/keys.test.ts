import { describe, expect, it } from '@jest/globals';
import { hashOwnerPart, hashToken } from '../../../../lambdas/keys/api-key.ts';
import { timeAhead } from '../../console/option-values.ts';
import { expire } from '../../keys/expire.ts';
import type { KeyRequest } from '../../keys/issue.ts';
import { keyView } from '../../keys/key-view.ts';
import { listKeys } from '../../keys/list.ts';
import type { IssuedKey } from '../../keys/new-key.ts';
import { revoke } from '../../keys/revoke.ts';
import { rotate } from '../../keys/rotate.ts';
import { unban } from '../../keys/unban.ts';
import { suspend as suspendOwner } from '../../owners/suspend.ts';
import { changeTogether, expressions } from '../../stage/dynamodb-calls.ts';
import type { KeyStage } from '../../stage/key-stage.ts';
import { ownerIdOf } from '../../store/identities.ts';
import { findKey } from '../../store/keys.ts';
import {
  interposed,
  issueTo,
  isTransaction,
  minute,
  nowMs,
  nowSeconds,
  run,
  stageOfEachTest,
} from '../stage-of-keys.ts';

const fixture = stageOfEachTest();
const { stage, readAll } = fixture;

const issue = (options: Partial<KeyRequest> = {}, at: KeyStage = stage) =>
  issueTo({ owner: 'Acme', ...options }, at);
const keyOf = (keyId: string) => findKey(keyId, stage);
const entryOf = async (keyId: string) => (await keyOf(keyId)).entry;
const detailsOf = async (keyId: string) => (await keyOf(keyId)).details;
const set = async (keyId: string, values: Record<string, number>) =>
  fixture.set(ownerIdOf(keyId), values, (await keyOf(keyId)).tokenHash);
const ban = (keyId: string) =>
  set(keyId, { bannedUntil: nowSeconds + 300, rejectionWindow: minute, rejectionCount: 181 });
const rotateKey = (keyId: string, grace: string, at: KeyStage = stage) =>
  run(rotate, [keyId], at, { grace: timeAhead(grace) });
const expireKey = (keyId: string, when: string, at: KeyStage = stage) =>
  run(expire, [keyId, when], at);
const suspend = (keyId: string) => run(suspendOwner, [ownerIdOf(keyId)], stage);
const allItems = async () => [...(await readAll('ApiKeys')), ...(await readAll('Owners'))];

describe('issueKey', () => {
  it("stores hashes of the token in its owner's item, and never the token", async () => {
    const wanted = { label: ' web shop ', expiresIn: timeAhead('60s') };

    const { apiKey, keyId, ownerId } = await issue(wanted);

    const [item] = await readAll('ApiKeys');
    expect(item).toEqual({
      ownerHash: hashOwnerPart(apiKey),
      ownerId,
      plan: 'free',
      status: 'active',
      minuteWindow: 0,
      minuteCount: 0,
      dayWindow: 0,
      dayCount: 0,
      keys: { [hashToken(apiKey)]: { id: keyId.slice(-12), expiresAt: nowSeconds + 60 } },
    });
    expect(await detailsOf(keyId)).toEqual({
      label: 'web shop',
      lastFour: apiKey.slice(-4),
      createdAt: '2026-11-20T09:30:15.500Z',
      tokenHash: hashToken(apiKey),
    });
    const stored = JSON.stringify([await allItems(), await stage.gateway.findGatewayKeys('')]);
    for (const part of [apiKey, apiKey.slice(8, 28), apiKey.slice(28, 48)]) {
      expect(stored).not.toContain(part);
    }
  });
});

describe('the hundredth key of an owner', () => {
  /** Gives the owner of a key 99 further keys, some of which have expired. */
  const addOthers = async ({ keyId, ownerId }: IssuedKey, expired = 0) => {
    const { tokenHash, entry } = await keyOf(keyId);
    const others = Array.from({ length: 99 }, (_, index) => {
      const id = String(index).padStart(12, '0');
      return [`${index}`, { id, ...(index < expired && { expiresAt: nowSeconds }) }];
    });
    await fixture.set(ownerId, { keys: { ...Object.fromEntries(others), [tokenHash]: entry } });
  };
  const tooMany = 'The owner "Acme" has 100 keys, and 100 is the maximum';

  it('is the last key: no further key is issued, and no key replaces a key that still works', async () => {
    const key = await issue();
    await addOthers(key);

    await expect(issue()).rejects.toThrow(tooMany);
    await expect(rotateKey(key.keyId, '60s')).rejects.toThrow(tooMany);
    expect(Object.keys((await fixture.owner(key.ownerId)).item!.keys)).toHaveLength(100);
    const { keyId } = await rotateKey(key.keyId, '0s');
    expect(await entryOf(keyId)).toBeDefined();
  });

  it('leaves room for as many keys as have expired', async () => {
    const key = await issue();
    await addOthers(key, 2);

    await issue();
    await rotateKey(key.keyId, '60s');

    await expect(issue()).rejects.toThrow(tooMany);
  });
});

describe('keys rotate', () => {
  it('I18: issues a key with the same owner, label, rights and ban; the old key expires after the grace', async () => {
    const old = await issue({ label: 'web shop', readOnly: true });
    await ban(old.keyId);
    const before = (await fixture.owner(old.ownerId)).item;

    const rotated = await rotateKey(old.keyId, '1h');

    const { ownerId } = old;
    const expiresAt = nowSeconds + 3_600;
    expect(rotated).toMatchObject({
      ...{ plan: 'free', owner: 'Acme', ownerId, label: 'web shop', expiresAt: null },
      ...{ previousKeyId: old.keyId, previousExpiresAt: '2026-11-20T10:30:15Z' },
    });
    const same = {
      ...{ isReadOnly: true, bannedUntil: nowSeconds + 300 },
      ...{ rejectionWindow: minute, rejectionCount: 181 },
    };
    expect(await entryOf(old.keyId)).toMatchObject({ ...same, expiresAt });
    expect(await keyOf(rotated.keyId)).toMatchObject({
      tokenHash: hashToken(rotated.apiKey),
      details: { replaces: old.keyId, label: 'web shop' },
      entry: same,
    });
    expect(await entryOf(rotated.keyId)).not.toHaveProperty('expiresAt');
    expect(keyView(await keyOf(rotated.keyId), stage)).toMatchObject({ isReadOnly: true });
    const after = (await fixture.owner(ownerId)).item;
    expect({ ...after, keys: null }).toEqual({ ...before, keys: null });
  });

  it('never extends the old key, and passes its expiry on', async () => {
    const old = await issue({ expiresIn: timeAhead('100s') });

    const rotated = await rotateKey(old.keyId, '1h');

    const end = '2026-11-20T09:31:55Z';
    expect(rotated).toMatchObject({ previousExpiresAt: end, expiresAt: end });
  });

  it('revokes the old key without a grace', async () => {
    const old = await issue();
    await set(old.keyId, { usedAt: minute });

    const rotated = await rotateKey(old.keyId, '0s');

    expect(rotated).toMatchObject({ previousExpiresAt: null });
    expect(await keyOf(old.keyId)).toMatchObject({ entry: undefined, details: { usedAt: minute } });
    expect(keyView(await keyOf(old.keyId), stage)).toMatchObject({
      ...{ status: 'revoked', revokedAt: '2026-11-20T09:30:15.500Z' },
      ...{ lastUsedAt: '2026-11-20T09:30:00Z', replacedBy: rotated.keyId },
    });
  });

  it.each(['60s', '0s'])(
    'rotates nothing with a grace of %s if the key is banned after it was read',
    async (grace) => {
      const { keyId } = await issue();
      const meanwhile = interposed(stage, isTransaction, () => ban(keyId));

      await expect(rotateKey(keyId, grace, meanwhile)).rejects.toThrow(
        'The owner "Acme" was changed by somebody else at the same time; run the command again',
      );
      expect(await listKeys({}, stage)).toMatchObject([{ keyId, expiresAt: null }]);
    },
  );

  it('revokes a key that is banned after it was read', async () => {
    const { keyId } = await issue();

    await run(
      revoke,
      [keyId],
      interposed(stage, isTransaction, () => ban(keyId)),
    );

    expect(await listKeys({}, stage)).toMatchObject([{ keyId, status: 'revoked' }]);
  });

  it('rotates a key again if its replacement was revoked', async () => {
    const { keyId } = await issue();
    const { keyId: lost } = await rotateKey(keyId, '60s');
    await run(revoke, [lost], stage);
    expect(keyView(await keyOf(keyId), stage)).toMatchObject({ replacedBy: null });

    const { keyId: next } = await rotateKey(keyId, '60s');

    expect(keyView(await keyOf(keyId), stage)).toMatchObject({ replacedBy: next });
  });
});

const changes = {
  rotated: (keyId: string) => rotateKey(keyId, '60s'),
  changed: (keyId: string) => expireKey(keyId, '60s'),
  unbanned: (keyId: string) => run(unban, [keyId], stage),
};
const ends = {
  expired: (keyId: string) => set(keyId, { expiresAt: nowSeconds }),
  revoked: (keyId: string) => run(revoke, [keyId], stage),
};

it.each(Object.entries(changes))(
  'a key that is no longer valid cannot be %s',
  async (done, change) => {
    for (const [status, end] of Object.entries(ends)) {
      const { keyId } = await issue();
      await end(keyId);
      const before = await allItems();

      await expect(change(keyId)).rejects.toThrow(`${keyId} is ${status} and cannot be ${done}`);
      expect(await allItems()).toEqual(before);
    }
  },
);

it('a key can be revoked in a stage whose stack does not state the plans', async () => {
  const { keyId } = await issue();
  const get = () => {
    throw new Error('the stack has no output Plans');
  };
  const other = Object.defineProperty({ ...stage }, 'plans', { get });

  expect(await run(revoke, [keyId], other)).toMatchObject({ wasActive: true });
  await expect(issue({}, other)).rejects.toThrow('no output Plans');
  expect(await listKeys({}, stage)).toMatchObject([{ keyId, status: 'revoked' }]);
});

describe('a dead key', () => {
  const later = (days: number) => ({ ...stage, now: () => nowMs + days * 86_400_000 });

  it.each<[string, (other: string) => Promise<unknown>]>([
    ['issued', () => issue()],
    ['rotated', (other) => rotateKey(other, '1d')],
    ['changed', (other) => expireKey(other, '1d')],
  ])('leaves the item when another key is %s, and stays listed', async (_, change) => {
    const { keyId: other } = await issue();
    const { keyId } = await issue();
    await set(keyId, { expiresAt: nowSeconds, usedAt: minute });

    await change(other);

    expect(await entryOf(keyId)).toBeUndefined();
    expect(keyView(await keyOf(keyId), stage)).toMatchObject({
      ...{ status: 'expired', expiresAt: '2026-11-20T09:30:15Z' },
      lastUsedAt: '2026-11-20T09:30:00Z',
    });
    expect(await run(revoke, [keyId], stage)).toMatchObject({ wasActive: false });
  });

  it('is listed for 90 days after its end, until the next change of a key', async () => {
    await issue();
    const [revoked, expired] = [await issue(), await issue()];
    await set(expired.keyId, { expiresAt: nowSeconds });
    await run(revoke, [revoked.keyId], stage);
    const listed = async () => (await listKeys({}, stage)).map(({ keyId }) => keyId);

    await issue({}, later(89));
    expect(await listed()).toEqual(expect.arrayContaining([revoked.keyId, expired.keyId]));
    await issue({}, later(91));

    for (const { keyId } of [revoked, expired]) {
      expect(await listed()).not.toContain(keyId);
      await expect(keyOf(keyId)).rejects.toThrow(`No key has the id ${keyId}`);
    }
  });
});

describe('keyView', () => {
  const described = async (keyId: string, now = stage.now) =>
    keyView(await keyOf(keyId), { ...stage, now });

  it('shows the last use of a key, and its ban until the ban is over', async () => {
    const { keyId } = await issue();
    await set(keyId, { usedAt: minute, bannedUntil: nowSeconds + 30 });
    const lastUsedAt = '2026-11-20T09:30:00Z';

    expect(await described(keyId)).toMatchObject({
      ...{ status: 'banned', bannedUntil: '2026-11-20T09:30:45Z' },
      lastUsedAt,
    });
    const over = { status: 'active', bannedUntil: null };
    expect(await described(keyId, () => nowMs + 30_000)).toMatchObject({ ...over, lastUsedAt });
  });

  it.each<[string, (keyId: string) => Promise<unknown>]>([
    ['active', async () => {}],
    ['banned', ban],
    ['suspended', suspend],
    ['expired', (keyId) => set(keyId, { expiresAt: nowSeconds })],
    ['revoked', (keyId) => run(revoke, [keyId], stage)],
  ])('shows a key as %s, also in the list', async (status, make) => {
    const { keyId } = await issue();

    await make(keyId);

    expect(await described(keyId)).toMatchObject({ status });
    expect(await listKeys({}, stage)).toMatchObject([{ keyId, status }]);
  });
});

describe('listKeys', () => {
  const at = (seconds: number) => ({ ...stage, now: () => nowMs + seconds * 1_000 });

  it('selects keys by owner and status', async () => {
    const [one, two] = [await issue({ owner: 'One' }), await issue({ owner: 'Two' }, at(1))];
    const three = await issue({ owner: 'Two' }, at(2));
    await run(revoke, [three.keyId], stage);
    const list = async (filter: Parameters<typeof listKeys>[0]) =>
      (await listKeys(filter, stage)).map(({ keyId }) => keyId);

    expect(await list({ owner: 'two' })).toEqual([three.keyId, two.keyId]);
    expect(await list({ owner: one.ownerId })).toEqual([one.keyId]);
    expect(await list({ owner: 'two', status: 'active' })).toEqual([two.keyId]);
    expect(await list({ status: 'revoked' })).toEqual([three.keyId]);
    await expect(list({ owner: 'Three' })).rejects.toThrow('There is no owner "Three"');
  });

  it('shows a valid key whose details were removed, which can be revoked', async () => {
    const { keyId, ownerId } = await issue();
    const key = { ownerId };
    const Update = expressions({ table: stage.ownersTable, key, set: { keys: {} } });
    await changeTogether([{ Update }], stage);

    expect(await listKeys({}, stage)).toMatchObject([
      { keyId, owner: 'Acme', status: 'active', lastFour: '????', createdAt: 'unknown' },
    ]);
    expect(await run(revoke, [keyId], stage)).toMatchObject({ wasActive: true });
    expect(await listKeys({}, stage)).toMatchObject([{ keyId, status: 'revoked' }]);
  });
});
