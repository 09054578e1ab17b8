import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { applyPlans, reviewPlans } from '../../../admin/owners/apply-plans.ts';
import { createOwner, type NewOwner } from '../../../admin/owners/create-owner.ts';
import { findOwner } from '../../../admin/owners/find-owner.ts';
import { setOwnerPlan } from '../../../admin/owners/set-owner-plan.ts';
import type { KeyStore } from '../../../admin/stage/key-store.ts';
import { plans } from '../../../lib/settings/plans.ts';
import { failing, isUpdateOf, stageOfEachTest } from '../stage-of-keys.ts';

const { free, pro, enterprise } = plans;

const { stage } = stageOfEachTest();
const { store } = stage;

/** An owner who was created when the plan had other numbers. */
async function createEarlier(request: NewOwner, then: { perMinute: number; perDay: number }) {
  const { details } = await createOwner(request, store);
  await stage.set(details.ownerId, then);
}

const limitsOf = async (name: string) => {
  const { perMinute, perDay } = (await findOwner(name, store)).item!;
  return { perMinute, perDay };
};

const apply = async (at: KeyStore = store) => {
  const { outdated } = await reviewPlans(at);
  await applyPlans(outdated, at);
  return outdated.map(({ owner }) => owner.details.name).sort();
};

describe('applyPlans', () => {
  it.each<[string, NewOwner, { perMinute: number; perDay: number }, object]>([
    [
      'a larger number to its owners',
      { name: 'A', plan: 'free' },
      { perMinute: free.perMinute / 2, perDay: free.perDay / 2 },
      { perMinute: free.perMinute, perDay: free.perDay },
    ],
    [
      'a smaller number to its owners',
      { name: 'A', plan: 'pro' },
      { perMinute: 2 * pro.perMinute, perDay: pro.perDay },
      { perMinute: pro.perMinute, perDay: pro.perDay },
    ],
    [
      'a number to the limit that was not agreed',
      { name: 'A', plan: 'free', perMinute: 5 },
      { perMinute: 5, perDay: free.perDay / 2 },
      { perMinute: 5, perDay: free.perDay },
    ],
    [
      'a number that has become less than what was agreed',
      { name: 'A', plan: 'enterprise', perMinute: enterprise.perMinute, perDay: 1_000 },
      { perMinute: 2 * enterprise.perMinute, perDay: 1_000 },
      { perMinute: enterprise.perMinute, perDay: 1_000 },
    ],
  ])('brings %s', async (_, request, then, expected) => {
    await createEarlier(request, then);

    expect(await apply()).toEqual(['A']);

    expect(await limitsOf('A')).toEqual(expected);
    expect(await apply()).toEqual([]);
  });

  it('leaves owners alone whose limits are as they should be', async () => {
    await createOwner({ name: 'A', plan: 'free' }, store);
    await createOwner({ name: 'B', plan: 'free', perMinute: 5 }, store);
    await createOwner({ name: 'C', plan: 'enterprise', perMinute: 5, perDay: 50 }, store);

    expect(await reviewPlans(store)).toEqual({ outdated: [], unclear: [] });
  });

  it('leaves an owner alone whose move to another plan was interrupted, and names it', async () => {
    await createOwner({ name: 'A', plan: 'enterprise', perMinute: 5, perDay: 50 }, store);
    const flaky = failing(store, isUpdateOf(store.apiKeysTable), 'before');
    await setOwnerPlan('A', { plan: 'pro' }, flaky).catch(() => {});

    const { outdated, unclear } = await reviewPlans(store);

    expect(outdated).toEqual([]);
    expect(unclear.map(({ details }) => details.name)).toEqual(['A']);
  });

  it.each(['gold', 'constructor'])(
    'leaves an owner alone whose plan is gone, and names it: %s',
    async (gone) => {
      const { details } = await createOwner({ name: 'A', plan: 'pro' }, store);
      await createOwner({ name: 'B', plan: 'free' }, store);
      await stage.set(details.ownerId, { plan: gone });
      const agreed = { ...details.agreed, plan: gone };
      const { ownerId } = details;
      await store.documents.send(
        new UpdateCommand({
          TableName: store.ownersTable,
          Key: { ownerId },
          UpdateExpression: 'SET agreed = :agreed',
          ExpressionAttributeValues: { ':agreed': agreed },
        }),
      );

      const { outdated, unclear } = await reviewPlans(store);

      expect(outdated).toEqual([]);
      expect(unclear.map((owner) => owner.details.name)).toEqual(['A']);
    },
  );

  it('finds those that are left when it is run again', async () => {
    for (const name of ['A', 'B', 'C']) {
      await createEarlier(
        { name, plan: 'free' },
        { perMinute: free.perMinute / 2, perDay: free.perDay / 2 },
      );
    }
    let writes = 0;
    const isSecond = (call: unknown) => call instanceof UpdateCommand && ++writes === 2;

    await expect(apply(failing(store, isSecond, 'before'))).rejects.toThrow(
      'The plans may be applied to some owners only: connection lost; run the command again',
    );

    expect(await apply()).toHaveLength(2);
    for (const name of ['A', 'B', 'C'])
      expect(await limitsOf(name)).toMatchObject({ perMinute: free.perMinute });
  });

  it('does not undo what somebody else has changed meanwhile', async () => {
    await createEarlier(
      { name: 'A', plan: 'free' },
      { perMinute: free.perMinute / 2, perDay: free.perDay / 2 },
    );
    const { outdated } = await reviewPlans(store);
    await setOwnerPlan('A', { plan: 'pro' }, store);

    await expect(applyPlans(outdated, store)).rejects.toThrow('changed by somebody else meanwhile');

    expect(await limitsOf('A')).toMatchObject({ perMinute: pro.perMinute });
  });
});
