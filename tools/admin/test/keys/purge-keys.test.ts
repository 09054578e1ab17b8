import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { issueKey } from '../../keys/issue-key.ts';
import { listKeys } from '../../keys/key-view.ts';
import {
  findPurgeable,
  findStageKeys,
  purgeKeys,
  withdrawStageKeys,
} from '../../keys/purge-keys.ts';
import { revokeKey } from '../../keys/revoke-key.ts';
import { rotateKey } from '../../keys/rotate-key.ts';
import { changeOwner } from '../../owners/change-owner.ts';
import { createOwner } from '../../owners/create-owner.ts';
import { allOwners } from '../../owners/find-owner.ts';
import type { KeyStore } from '../../stage/key-store.ts';
import {
  interleaved,
  interposed,
  issueTo,
  isUpdateOf,
  meeting,
  nowMs,
  nowSeconds,
  stageOfEachTest,
} from '../stage-of-keys.ts';

const daySeconds = 86_400;

const stage = stageOfEachTest();
const { store, gateway, tables } = stage;

const daysLater = (days: number): KeyStore => ({
  ...store,
  now: () => nowMs + days * daySeconds * 1_000,
});
const issue = (expiresAt?: number) => issueTo({ owner: 'Acme', expiresAt }, store);
const remaining = async () => (await listKeys({}, store)).map(({ keyId }) => keyId);

async function purge(olderThanDays: number, at: KeyStore): Promise<void> {
  const filter = { olderThanSeconds: olderThanDays * daySeconds };
  await purgeKeys(await findPurgeable(filter, at), at);
}

describe('purgeKeys', () => {
  const kinds: [string, () => Promise<unknown>][] = [
    ['was revoked', async () => revokeKey((await issue()).keyId, store)],
    ['has expired', () => issue(nowSeconds)],
    [
      'has expired, though its owner is suspended',
      async () => {
        await issue(nowSeconds);
        await changeOwner('Acme', { status: 'suspended' }, store);
      },
    ],
    [
      'was issued in part only',
      async () => {
        await createOwner({ name: 'Acme', plan: 'free' }, store);
        const killed = meeting('killed after it', store, 0);
        await issueKey({ owner: 'Acme' }, killed.store).catch(() => {});
      },
    ],
  ];

  it.each(kinds)('removes all that is stored of a key that %s so long ago', async (_, make) => {
    await make();
    expect(await remaining()).toHaveLength(1);

    await purge(30, daysLater(29));
    expect(await remaining()).toHaveLength(1);

    await purge(30, daysLater(30));
    expect(await remaining()).toEqual([]);
    const stored = ['ApiKeys', 'Owners'].map((table) => tables.readAll(table));
    expect(JSON.stringify(stored)).not.toContain('key_');
  });

  it('leaves a key its details that is being issued or rotated meanwhile', async () => {
    await createOwner({ name: 'Acme', plan: 'free' }, store);
    const beforeEntry = () =>
      interposed(store, isUpdateOf(store.apiKeysTable), () => purge(0, store));

    const { keyId } = await issueKey({ owner: 'Acme', label: 'shop' }, beforeEntry());
    const rotated = await rotateKey(keyId, { graceSeconds: 60 }, beforeEntry());

    const listed = (await listKeys({}, store)).map(({ keyId: id, label }) => [id, label]);
    expect(listed.sort()).toEqual([keyId, rotated.keyId].sort().map((id) => [id, 'shop']));
  });

  it('never touches a key that is valid', async () => {
    const { keyId } = await issue();
    const expiring = await issue(nowSeconds + 31 * daySeconds);

    await purge(0, daysLater(30));

    expect((await remaining()).sort()).toEqual([keyId, expiring.keyId].sort());
  });

  it("purges one owner's keys where it is named", async () => {
    await revokeKey((await issue()).keyId, store);
    const other = await issueTo({ owner: 'Other' }, store);
    await revokeKey(other.keyId, store);

    const found = await findPurgeable({ owner: 'other', olderThanSeconds: 0 }, store);

    expect(found.map(({ keyId }) => keyId)).toEqual([other.keyId]);
  });
});

describe('withdrawStageKeys', () => {
  it('leaves nothing that a client could use, and keeps who had what', async () => {
    const { keyId } = await issue();
    await issueTo({ owner: 'Other', plan: 'pro' }, store);

    await withdrawStageKeys(await findStageKeys(store), store);

    expect(tables.readAll(store.apiKeysTable)).toEqual([]);
    expect([...gateway.keys]).toEqual([]);
    const keys = await listKeys({}, store);
    expect(keys.map(({ status }) => status)).toEqual(['revoked', 'revoked']);
    expect(keys.find((key) => key.keyId === keyId)).toMatchObject({ owner: 'Acme' });
  });

  it('keeps when a key was revoked before', async () => {
    await revokeKey((await issue()).keyId, store);

    await withdrawStageKeys(await findStageKeys(daysLater(1)), daysLater(1));

    const [key] = await listKeys({}, store);
    expect(key).toMatchObject({ revokedAt: '2026-11-20T09:30:15.500Z' });
  });

  it("leaves other stages' keys in API Gateway alone", async () => {
    const names = ['StoreOrders-prod', 'StoreOrders-staging-eu', 'StoreOrders-staging-spare'];
    for (const [index, stack] of names.entries()) {
      const value = `own_${String(index).repeat(20)}`;
      await gateway.createApiKey({ name: `${stack}-${value}`, value, enabled: true, tags: {} });
    }
    await issue();

    await withdrawStageKeys(await findStageKeys(store), store);

    const left = [...gateway.keys.values()].map(({ name }) => name.replace(/-own_.*/, ''));
    expect(left).toEqual(names);
  });

  const createdAt = (at: KeyStore) =>
    createOwner({ name: 'New', plan: 'pro' }, at).catch((error: Error) =>
      expect(error.message).toMatch(/run the command again|completes it/),
    );
  const withdraw = async (at: KeyStore) => withdrawStageKeys(await findStageKeys(at), at);
  it.each([
    ['all keys are withdrawn while it is created', createdAt, withdraw],
    ['it is created while all keys are withdrawn', withdraw, createdAt],
  ])('leaves no owner without a gateway key, wherever %s', (_, run, other) =>
    interleaved(store, async (between, calls) => {
      await run(between(() => other(store)));

      const complete = (await allOwners(store)).filter(({ item }) => item);
      const inPlan = [...gateway.keys.values()].filter(({ usagePlanIds }) =>
        usagePlanIds.has('plan-pro'),
      );
      expect([calls, inPlan.map(({ value }) => value)]).toEqual([
        calls,
        expect.arrayContaining(complete.map(({ details }) => details.ownerId)),
      ]);
      await withdraw(store);
    }),
  );

  it('leaves no owner without a gateway key that is complete just before that is deleted', async () => {
    const reached = Promise.withResolvers<void>();
    const withdrawing: Promise<void>[] = [];
    const slowly = interposed(
      store,
      (call) => call === 'deleteApiKey',
      async () => {
        reached.resolve();
        await creating;
      },
    );
    const isLast = (call: unknown) => call instanceof TransactWriteCommand;
    const creating = createdAt(
      interposed(store, isLast, async () => {
        withdrawing.push(withdraw(slowly));
        await reached.promise;
      }),
    );

    await creating;
    await Promise.all(withdrawing);

    expect([...gateway.keys]).toEqual([]);
    expect(tables.readAll(store.apiKeysTable)).toEqual([]);
  });

  it('lets the owner have keys again, under the same id', async () => {
    const { ownerId } = await issue();
    await withdrawStageKeys(await findStageKeys(store), store);

    const again = await issueTo({ owner: 'Acme', plan: 'pro' }, store);

    expect(again.ownerId).toBe(ownerId);
    expect([...gateway.keys.values()]).toMatchObject([{ value: ownerId }]);
  });
});
