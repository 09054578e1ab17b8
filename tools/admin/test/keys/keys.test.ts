import { describe, expect, it } from '@jest/globals';
import { hashOwnerPart, hashToken } from '../../../../lambdas/keys/api-key.ts';
import { noUsage } from '../../../../lambdas/keys/owner-record.ts';
import { changeTogether, expressions } from '../../stage/dynamodb-calls.ts';
import { findKey } from '../../store/keys.ts';
import { findOwner } from '../../store/owners.ts';
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
const { stage, readAll, set } = fixture;

const issue = (options = '', at = stage) => issueTo('Acme', at, options);
const keys = (line: string, at = stage) => run(`keys ${line}`, at);
const bannedUntil = nowSeconds + 300;
const ban = (keyId: string) =>
  set(keyId, { bannedUntil, rejectionWindow: minute, rejectionCount: 181 });
const allItems = async () => [...(await readAll('ApiKeys')), ...(await readAll('Owners'))];
const later = (ms: number) => ({ ...stage, now: () => nowMs + ms });

it("keys issue stores hashes of the token in its owner's item, and never the token", async () => {
  const { apiKey, keyId, ownerId } = await issue('--label " web shop " --expires-in 60s');

  const tokenHash = hashToken(apiKey);
  expect(await readAll('ApiKeys')).toEqual([
    {
      ...{ ownerHash: hashOwnerPart(apiKey), ownerId, plan: 'free', status: 'active', ...noUsage },
      keys: { [tokenHash]: { id: keyId.slice(-12), expiresAt: nowSeconds + 60 } },
    },
  ]);
  expect((await findKey(keyId, stage)).details).toEqual({
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
  const { tokenHash, entry } = await findKey(old.keyId, stage);
  const others = Array.from({ length: 99 }, (_, index) => {
    const id = String(index).padStart(12, '0');
    return [`${index}`, { id, ...(index < 2 && { expiresAt: nowSeconds }) }];
  });
  await fixture.set(old.ownerId, { keys: { ...Object.fromEntries(others), [tokenHash]: entry } });
  const tooMany = 'The owner "Acme" has 100 keys, and 100 is the maximum';

  const last = await issue();
  await keys(`rotate ${old.keyId} --grace 60s`);

  await expect(issue()).rejects.toThrow(tooMany);
  await expect(keys(`rotate ${last.keyId} --grace 60s`)).rejects.toThrow(tooMany);
  await keys(`rotate ${last.keyId} --grace 0s`);
  expect(Object.keys((await findOwner(old.ownerId, stage)).item.keys)).toHaveLength(100);
});

describe('keys rotate', () => {
  it('I18: issues a key with the same owner, label, rights and ban; the old key expires after the grace', async () => {
    const old = await issue('--label "web shop" --read-only');
    await ban(old.keyId);
    await set(old.keyId, { usedAt: minute });
    const before = (await findOwner(old.ownerId, stage)).item;

    const rotated = await keys(`rotate ${old.keyId} --grace 1h`);

    const { ownerId } = old;
    expect(rotated).toMatchObject({
      ...{ owner: 'Acme', ownerId, label: 'web shop', isReadOnly: true, expiresAt: null },
      ...{ previousKeyId: old.keyId, previousExpiresAt: '2026-11-20T10:30:15Z' },
      ...{ replaces: old.keyId, lastUsedAt: null },
    });
    const same = { isReadOnly: true, bannedUntil, rejectionWindow: minute, rejectionCount: 181 };
    const { item } = await findOwner(ownerId, stage);
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
    expect(await keys(`show ${old.keyId}`)).toMatchObject({ replacedBy: rotated.keyId });
    await expect(keys(`rotate ${old.keyId} --grace 1h`)).rejects.toThrow(
      'nothing was changed: key_',
    );
  });

  it('never extends the old key, passes its expiry on, and refuses a time that has passed', async () => {
    const old = await issue('--expires-in 100s');
    // This could be a mistake in the year.
    await expect(keys(`rotate ${old.keyId} --grace 2026-01-15`)).rejects.toThrow(
      /^--grace: .* a time ahead/,
    );

    const rotated = await keys(`rotate ${old.keyId} --grace 1h`);

    const end = '2026-11-20T09:31:55Z';
    expect(rotated).toMatchObject({ previousExpiresAt: end, expiresAt: end });
  });

  it('rotates a key again if its replacement was revoked', async () => {
    const { keyId } = await issue();
    const { keyId: lost } = await keys(`rotate ${keyId} --grace 60s`);
    await keys(`revoke ${lost}`);
    expect(await keys(`show ${keyId}`)).toMatchObject({ replacedBy: null });

    const { keyId: next } = await keys(`rotate ${keyId} --grace 0s`);

    expect(await keys(`show ${keyId}`)).toMatchObject({ replacedBy: next, status: 'revoked' });
  });
});

describe('if a key is banned after it was read', () => {
  const banned = (keyId: string) => interposed(stage, isTransaction, () => ban(keyId));

  it.each(['60s', '0s'])('it is not rotated with a grace of %s', async (grace) => {
    const { keyId } = await issue();

    await expect(keys(`rotate ${keyId} --grace ${grace}`, banned(keyId))).rejects.toThrow(
      'The owner "Acme" was changed by somebody else at the same time; run the command again',
    );
    expect(await keys('list')).toMatchObject([{ keyId, status: 'banned', expiresAt: null }]);
  });

  it('it is revoked', async () => {
    const { keyId } = await issue();

    await keys(`revoke ${keyId}`, banned(keyId));

    expect(await keys('list')).toMatchObject([{ keyId, status: 'revoked' }]);
  });
});

it('a change keeps what the authorizer counts at the same time', async () => {
  const { keyId, ownerId } = await issue();
  const count = async () => {
    await fixture.set(ownerId, { dayCount: 7 });
    await set(keyId, { usedAt: minute });
  };

  await keys(`expire ${keyId} 60s`, interposed(stage, isTransaction, count));

  expect((await findKey(keyId, stage)).entry).toMatchObject({ usedAt: minute });
  expect((await findOwner(ownerId, stage)).item).toMatchObject({ dayCount: 7 });
});

it.each<[string, (keyId: string) => Promise<unknown>]>([
  ['rotated', (keyId) => keys(`rotate ${keyId} --grace 60s`)],
  ['changed', (keyId) => keys(`expire ${keyId} 60s`)],
  ['unbanned', (keyId) => keys(`unban ${keyId}`)],
])('a key that is no longer valid cannot be %s', async (done, change) => {
  const [expired, revoked] = [await issue(), await issue()];
  await keys(`revoke ${revoked.keyId}`);
  await set(expired.keyId, { expiresAt: nowSeconds });
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
  const ids = async () => (await keys('list')).map(({ keyId }: { keyId: string }) => keyId);
  const dayMs = 86_400_000;

  await keys(`revoke ${revoked.keyId}`);

  expect(Object.keys((await findOwner(other.ownerId, stage)).item.keys)).toHaveLength(1);
  expect(await keys(`show ${revoked.keyId}`)).toMatchObject({
    ...{ ...used, status: 'revoked', revokedAt: '2026-11-20T09:30:15.500Z', expiresAt: null },
  });
  const end = { status: 'expired', expiresAt: '2026-11-20T09:30:15Z' };
  expect(await keys(`show ${expired.keyId}`)).toMatchObject({ ...used, ...end });
  expect(await keys(`revoke ${expired.keyId}`)).toMatchObject({ wasActive: false });
  await issue('', later(89 * dayMs));
  expect(await ids()).toEqual(expect.arrayContaining([revoked.keyId, expired.keyId]));
  await issue('', later(91 * dayMs));
  for (const { keyId } of [revoked, expired]) {
    expect(await ids()).not.toContain(keyId);
    await expect(keys(`show ${keyId}`)).rejects.toThrow(`No key has the id ${keyId}`);
  }
});

it.each<[string, (keyId: string) => Promise<unknown>, object?]>([
  ['active', (keyId) => set(keyId, { usedAt: minute }), { lastUsedAt: '2026-11-20T09:30:00Z' }],
  ['banned', ban, { bannedUntil: '2026-11-20T09:35:15Z' }],
  ['active', (keyId) => set(keyId, { bannedUntil: nowSeconds }), { bannedUntil: null }],
  ['suspended', () => run('owners suspend Acme', stage)],
  ['expired', (keyId) => set(keyId, { expiresAt: nowSeconds })],
])('keys show and keys list describe a key as %s', async (status, make, more = {}) => {
  const { keyId } = await issue();

  await make(keyId);

  expect(await keys(`show ${keyId}`)).toMatchObject({ status, ...more });
  expect(await keys('list')).toMatchObject([{ keyId, status, ...more }]);
});

describe('keys list', () => {
  it('selects keys by owner and status, the newest first', async () => {
    const one = await issueTo('One', stage);
    const two = await issueTo('Two', later(1_000));
    const three = await issueTo('Two', later(2_000));
    await keys(`revoke ${three.keyId}`);

    for (const [filter, selected] of [
      ['', [three, two, one]],
      ['--owner two', [three, two]],
      [`--owner ${one.ownerId}`, [one]],
      ['--owner two --status active', [two]],
      ['--status revoked', [three]],
    ] as const) {
      expect(await keys(`list ${filter}`)).toMatchObject(selected.map(({ keyId }) => ({ keyId })));
    }
    await expect(keys('list --owner Three')).rejects.toThrow('There is no owner "Three"');
  });

  it('shows a valid key whose details were removed, which can be revoked', async () => {
    const { keyId, ownerId } = await issue();
    const key = { ownerId };
    const Update = expressions({ table: stage.ownersTable, key, set: { keys: {} } });
    await changeTogether([{ Update }], stage);

    expect(await keys('list')).toMatchObject([
      { keyId, owner: 'Acme', status: 'active', lastFour: '????', createdAt: 'unknown' },
    ]);
    await keys(`revoke ${keyId}`);
    expect(await keys('list')).toMatchObject([{ keyId, status: 'revoked' }]);
  });
});
