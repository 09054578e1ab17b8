import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { InterruptedError } from '../../../shared/errors.ts';
import { removeDetails } from '../../keys/issue-key.ts';
import { listKeys } from '../../keys/key-view.ts';
import { revokeKey } from '../../keys/revoke-key.ts';
import { findStageKeys, withdrawStageKeys } from '../../keys/withdraw-keys.ts';
import { createOwner } from '../../owners/create-owner.ts';
import { allOwners } from '../../owners/find-owner.ts';
import type { KeyStore } from '../../stage/key-store.ts';
import { interleaved, interposed, issueTo, nowMs, stageOfEachTest } from '../stage-of-keys.ts';

const stage = stageOfEachTest();
const { store, gateway, readAll } = stage;

const issue = () => issueTo({ owner: 'Acme' }, store);

describe('withdrawStageKeys', () => {
  it('keeps the time of an earlier revocation', async () => {
    await revokeKey((await issue()).keyId, store);

    const nextDay: KeyStore = { ...store, now: () => nowMs + 86_400_000 };
    await withdrawStageKeys(await findStageKeys(nextDay), nextDay);

    const [key] = await listKeys({}, store);
    expect(key).toMatchObject({ revokedAt: '2026-11-20T09:30:15.500Z' });
  });

  it.each([0, 1, 2, 3, 4])(
    'reports how far it is when it is interrupted after %i steps, and withdraws only the rest when run again',
    async (steps) => {
      await issue();
      await issueTo({ owner: 'Other' }, store);
      const controller = new AbortController();
      const onStep = (done: number) => done === steps && controller.abort();
      if (steps === 0) controller.abort();

      const run = withdrawStageKeys(await findStageKeys(store), store, onStep, controller.signal);
      const error = await run.catch((thrown) => thrown);

      const isDone = steps === 4;
      if (!isDone) expect(error).toBeInstanceOf(InterruptedError);
      if (!isDone)
        expect(error.message).toContain(`after ${steps} of 4 owners and gateway keys; run`);
      const left = await findStageKeys(store);
      expect(left.owners.length + left.gatewayKeys.length).toBe(4 - steps);
      await withdrawStageKeys(left, store);
      expect([await readAll('ApiKeys'), [...gateway.keys]]).toEqual([[], []]);
      const keys = await listKeys({}, store);
      expect(keys.map(({ status }) => status)).toEqual(['revoked', 'revoked']);
    },
  );

  it('counts a valid key whose details were removed', async () => {
    const { ownerId, keyId } = await issue();
    await removeDetails(ownerId, keyId, store);

    expect(await findStageKeys(store)).toMatchObject({ validKeys: [{ keyId }] });
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

  it('removes an owner that is completed just before its gateway key is deleted', async () => {
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
    expect(await readAll('ApiKeys')).toEqual([]);
  });

  it('lets the owner have keys again, under the same id', async () => {
    const { ownerId } = await issue();
    await withdrawStageKeys(await findStageKeys(store), store);

    const again = await issueTo({ owner: 'Acme', plan: 'pro' }, store);

    expect(again.ownerId).toBe(ownerId);
    expect([...gateway.keys.values()]).toMatchObject([{ value: ownerId }]);
  });
});
