import { describe, expect, it } from '@jest/globals';
import { hashOwnerPart, hashToken } from '../../../../lambdas/keys/api-key.ts';
import { noUsage } from '../../../../lambdas/keys/owner-record.ts';
import { timeAhead } from '../../console/option-values.ts';
import { expire } from '../../keys/expire.ts';
import type { KeyRequest } from '../../keys/issue.ts';
import { list } from '../../keys/list.ts';
import { revoke } from '../../keys/revoke.ts';
import { rotate } from '../../keys/rotate.ts';
import { show } from '../../keys/show.ts';
import { unban } from '../../keys/unban.ts';
import { suspend } from '../../owners/suspend.ts';
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
const shown = (keyId: string) => run(show, [keyId], stage);
const listed = (options = {}) => run(list, [], stage, options);
const set = async (keyId: string, values: Record<string, number>) =>
  fixture.set(ownerIdOf(keyId), values, (await keyOf(keyId)).tokenHash);
const bannedUntil = nowSeconds + 300;
const ban = (keyId: string) =>
  set(keyId, { bannedUntil, rejectionWindow: minute, rejectionCount: 181 });
const rotateKey = (keyId: string, grace: string, at: KeyStage = stage) =>
  run(rotate, [keyId], at, { grace: timeAhead(grace) });
const revokeKey = (keyId: string, at: KeyStage = stage) => run(revoke, [keyId], at);
const allItems = async () => [...(await readAll('ApiKeys')), ...(await readAll('Owners'))];
const later = (ms: number) => ({ ...stage, now: () => nowMs + ms });

it("keys issue stores hashes of the token in its owner's item, and never the token", async () => {
  const wanted = { label: ' web shop ', expiresIn: timeAhead('60s') };

  const { apiKey, keyId, ownerId } = await issue(wanted);

  const tokenHash = hashToken(apiKey);
  expect(await readAll('ApiKeys')).toEqual([
    {
      ...{ ownerHash: hashOwnerPart(apiKey), ownerId, plan: 'free', status: 'active', ...noUsage },
      keys: { [tokenHash]: { id: keyId.slice(-12), expiresAt: nowSeconds + 60 } },
    },
  ]);
  expect((await keyOf(keyId)).details).toEqual({
    ...{ label: 'web shop', lastFour: apiKey.slice(-4), tokenHash },
    createdAt: '2026-11-20T09:30:15.500Z',
  });
  const stored = JSON.stringify([await allItems(), await stage.gateway.findGatewayKeys('')]);
  for (const part of [apiKey, apiKey.slice(8, 28), apiKey.slice(28, 48)]) {
    expect(stored).not.toContain(part);
  }
});

it('an owner has at most a hundred keys, without those that have expired', async () => {
  const old = await issue();
  const { tokenHash, entry } = await keyOf(old.keyId);
  const others = Array.from({ length: 99 }, (_, index) => {
    const id = String(index).padStart(12, '0');
    return [`${index}`, { id, ...(index < 2 && { expiresAt: nowSeconds }) }];
  });
  await fixture.set(old.ownerId, { keys: { ...Object.fromEntries(others), [tokenHash]: entry } });
  const tooMany = 'The owner "Acme" has 100 keys, and 100 is the maximum';

  const last = await issue();
  await rotateKey(old.keyId, '60s');

  await expect(issue()).rejects.toThrow(tooMany);
  await expect(rotateKey(last.keyId, '60s')).rejects.toThrow(tooMany);
  await rotateKey(last.keyId, '0s');
  expect(Object.keys((await fixture.owner(old.ownerId)).item.keys)).toHaveLength(100);
});

describe('keys rotate', () => {
  it('I18: issues a key with the same owner, label, rights and ban; the old key expires after the grace', async () => {
    const old = await issue({ label: 'web shop', readOnly: true });
    await ban(old.keyId);
    await set(old.keyId, { usedAt: minute });
    const before = (await fixture.owner(old.ownerId)).item;

    const rotated = await rotateKey(old.keyId, '1h');

    const { ownerId } = old;
    expect(rotated).toMatchObject({
      ...{ owner: 'Acme', ownerId, label: 'web shop', isReadOnly: true, expiresAt: null },
      ...{ previousKeyId: old.keyId, previousExpiresAt: '2026-11-20T10:30:15Z' },
      ...{ replaces: old.keyId, lastUsedAt: null },
    });
    const same = { isReadOnly: true, bannedUntil, rejectionWindow: minute, rejectionCount: 181 };
    const { item } = await fixture.owner(ownerId);
    expect(item).toEqual({
      ...before,
      keys: {
        [hashToken(old.apiKey)]: {
          ...before.keys[hashToken(old.apiKey)],
          ...{ ...same, expiresAt: nowSeconds + 3_600 },
        },
        [hashToken(rotated.apiKey)]: { id: rotated.keyId.slice(-12), ...same },
      },
    });
    expect(await shown(old.keyId)).toMatchObject({ replacedBy: rotated.keyId });
    await expect(rotateKey(old.keyId, '1h')).rejects.toThrow('nothing was changed: key_');
  });

  it('never extends the old key, passes its expiry on, and refuses a time that has passed', async () => {
    const old = await issue({ expiresIn: timeAhead('100s') });
    // This could be a mistake in the year.
    await expect(rotateKey(old.keyId, '2026-01-15')).rejects.toThrow(/^--grace: .* a time ahead/);

    const rotated = await rotateKey(old.keyId, '1h');

    const end = '2026-11-20T09:31:55Z';
    expect(rotated).toMatchObject({ previousExpiresAt: end, expiresAt: end });
  });

  it('rotates a key again if its replacement was revoked', async () => {
    const { keyId } = await issue();
    const { keyId: lost } = await rotateKey(keyId, '60s');
    await revokeKey(lost);
    expect(await shown(keyId)).toMatchObject({ replacedBy: null });

    const { keyId: next } = await rotateKey(keyId, '0s');

    expect(await shown(keyId)).toMatchObject({ replacedBy: next, status: 'revoked' });
  });
});

describe('if a key is banned after it was read', () => {
  const banned = (keyId: string) => interposed(stage, isTransaction, () => ban(keyId));

  it.each(['60s', '0s'])('it is not rotated with a grace of %s', async (grace) => {
    const { keyId } = await issue();

    await expect(rotateKey(keyId, grace, banned(keyId))).rejects.toThrow(
      'The owner "Acme" was changed by somebody else at the same time; run the command again',
    );
    expect(await listed()).toMatchObject([{ keyId, status: 'banned', expiresAt: null }]);
  });

  it('it is revoked', async () => {
    const { keyId } = await issue();

    await revokeKey(keyId, banned(keyId));

    expect(await listed()).toMatchObject([{ keyId, status: 'revoked' }]);
  });
});

it('a change keeps what the authorizer counts at the same time', async () => {
  const { keyId, ownerId } = await issue();
  const count = async () => {
    await fixture.set(ownerId, { dayCount: 7 });
    await set(keyId, { usedAt: minute });
  };

  await run(expire, [keyId, '60s'], interposed(stage, isTransaction, count));

  expect((await keyOf(keyId)).entry).toMatchObject({ usedAt: minute });
  expect((await fixture.owner(ownerId)).item).toMatchObject({ dayCount: 7 });
});

it.each<[string, (keyId: string) => Promise<unknown>]>([
  ['rotated', (keyId) => rotateKey(keyId, '60s')],
  ['changed', (keyId) => run(expire, [keyId, '60s'], stage)],
  ['unbanned', (keyId) => run(unban, [keyId], stage)],
])('a key that is no longer valid cannot be %s', async (done, change) => {
  const [expired, revoked] = [await issue(), await issue()];
  await set(expired.keyId, { expiresAt: nowSeconds });
  await revokeKey(revoked.keyId);
  const before = await allItems();

  for (const { keyId } of [expired, revoked]) {
    await expect(change(keyId)).rejects.toThrow(
      new RegExp(`^${keyId} is (expired|revoked) and cannot be ${done}`),
    );
  }
  expect(await allItems()).toEqual(before);
});

it("a key that has ended leaves its owner's item with the next change of a key, and is listed for 90 days", async () => {
  const [other, revoked, expired] = [await issue(), await issue(), await issue()];
  for (const { keyId } of [revoked, expired]) await set(keyId, { usedAt: minute });
  await set(expired.keyId, { expiresAt: nowSeconds });
  const used = { lastUsedAt: '2026-11-20T09:30:00Z' };
  const ids = async () => (await listed()).map(({ keyId }: { keyId: string }) => keyId);
  const dayMs = 86_400_000;

  await revokeKey(revoked.keyId);

  expect(Object.keys((await fixture.owner(other.ownerId)).item.keys)).toHaveLength(1);
  expect(await shown(revoked.keyId)).toMatchObject({
    ...{ ...used, status: 'revoked', revokedAt: '2026-11-20T09:30:15.500Z', expiresAt: null },
  });
  const end = { status: 'expired', expiresAt: '2026-11-20T09:30:15Z' };
  expect(await shown(expired.keyId)).toMatchObject({ ...used, ...end });
  expect(await revokeKey(expired.keyId)).toMatchObject({ wasActive: false });
  await issue({}, later(89 * dayMs));
  expect(await ids()).toEqual(expect.arrayContaining([revoked.keyId, expired.keyId]));
  await issue({}, later(91 * dayMs));
  for (const { keyId } of [revoked, expired]) {
    expect(await ids()).not.toContain(keyId);
    await expect(keyOf(keyId)).rejects.toThrow(`No key has the id ${keyId}`);
  }
});

it.each<[string, (keyId: string) => Promise<unknown>, object?]>([
  ['active', (keyId) => set(keyId, { usedAt: minute }), { lastUsedAt: '2026-11-20T09:30:00Z' }],
  ['banned', ban, { bannedUntil: '2026-11-20T09:35:15Z' }],
  ['active', (keyId) => set(keyId, { bannedUntil: nowSeconds }), { bannedUntil: null }],
  ['suspended', (keyId) => run(suspend, [ownerIdOf(keyId)], stage)],
  ['expired', (keyId) => set(keyId, { expiresAt: nowSeconds })],
])('keys show and keys list describe a key as %s', async (status, make, more = {}) => {
  const { keyId } = await issue();

  await make(keyId);

  expect(await shown(keyId)).toMatchObject({ status, ...more });
  expect(await listed()).toMatchObject([{ keyId, status, ...more }]);
});

describe('keys list', () => {
  it('selects keys by owner and status, the newest first', async () => {
    const one = await issue({ owner: 'One' });
    const two = await issue({ owner: 'Two' }, later(1_000));
    const three = await issue({ owner: 'Two' }, later(2_000));
    await revokeKey(three.keyId);

    for (const [filter, keys] of [
      [{}, [three, two, one]],
      [{ owner: 'two' }, [three, two]],
      [{ owner: one.ownerId }, [one]],
      [{ owner: 'two', status: 'active' }, [two]],
      [{ status: 'revoked' }, [three]],
    ] as const) {
      expect(await listed(filter)).toMatchObject(keys.map(({ keyId }) => ({ keyId })));
    }
    await expect(listed({ owner: 'Three' })).rejects.toThrow('There is no owner "Three"');
  });

  it('shows a valid key whose details were removed, which can be revoked', async () => {
    const { keyId, ownerId } = await issue();
    const key = { ownerId };
    const Update = expressions({ table: stage.ownersTable, key, set: { keys: {} } });
    await changeTogether([{ Update }], stage);

    expect(await listed()).toMatchObject([
      { keyId, owner: 'Acme', status: 'active', lastFour: '????', createdAt: 'unknown' },
    ]);
    await revokeKey(keyId);
    expect(await listed()).toMatchObject([{ keyId, status: 'revoked' }]);
  });
});
