import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { applyPlans, reviewPlans } from '../../../admin/owners/apply-plans.ts';
import { createOwner } from '../../../admin/owners/create-owner.ts';
import { allOwners, findCompleteOwner, findOwner } from '../../../admin/owners/find-owner.ts';
import { renameOwner } from '../../../admin/owners/rename-owner.ts';
import { resetUsage } from '../../../admin/owners/reset-usage.ts';
import { setOwnerPlan } from '../../../admin/owners/set-owner-plan.ts';
import { setOwnerStatus } from '../../../admin/owners/set-owner-status.ts';
import { plans } from '../../../lib/settings/plans.ts';
import { type EmbeddedDynamoDb, startDynamoDb } from '../../helpers/embedded-dynamodb.ts';
import { day, KeyStage, minute, nowSeconds } from '../keys/key-stage.ts';

let database: EmbeddedDynamoDb;
let stage: KeyStage;
beforeAll(async () => {
  database = await startDynamoDb();
});
beforeEach(async () => {
  stage = await KeyStage.create(database);
});
afterAll(() => database.stop());

const acme = { name: 'Acme', plan: 'free' } as const;
const create = () => createOwner(acme, stage.store);
const usagePlansOf = (ownerId: string) =>
  [...stage.gateway.keys.values()]
    .filter(({ value }) => value === ownerId)
    .flatMap(({ usagePlanIds }) => [...usagePlanIds]);

describe('createOwner', () => {
  it('gives the owner the limits of its plan, and its API Gateway key', async () => {
    const { details, item } = await create();

    expect(details).toMatchObject({ name: 'Acme', ownerId: expect.stringMatching(/^own_\w{20}$/) });
    expect(item).toMatchObject({ plan: 'free', ...limitsOf('free'), isActive: true });
    expect(usagePlansOf(details.ownerId)).toEqual(['plan-free']);
  });

  it.each(['Acme', ' acme ', 'ACME'])('refuses a name that is taken: %j', async (name) => {
    const { details } = await create();

    await expect(createOwner({ ...acme, name }, stage.store)).rejects.toThrow(
      `There is an owner "Acme" already, ${details.ownerId}`,
    );
  });

  it('creates one owner when two operators create it at the same time', async () => {
    const results = await Promise.allSettled([create(), create()]);

    expect(results.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
    expect(await allOwners(stage.store)).toHaveLength(1);
  });

  it.each([1, 2, 3])('is completed by another run when write %i failed', async (write) => {
    const failed = createOwner(acme, stage.failingAt(write, 'before'));
    await expect(failed).rejects.toThrow('run the command again to complete it');

    const { details } = await create();

    expect(await allOwners(stage.store)).toHaveLength(1);
    expect(usagePlansOf(details.ownerId)).toEqual(['plan-free']);
  });
});

describe('setOwnerPlan', () => {
  it('moves the owner in DynamoDB and in API Gateway, and keeps what was used', async () => {
    const key = await stage.issue();
    await stage.set(key, { minuteWindow: minute, minuteCount: 50, dayWindow: day, dayCount: 70 });

    const { item } = await setOwnerPlan('Acme', { plan: 'pro' }, stage.store);

    expect(item).toMatchObject({ plan: 'pro', ...limitsOf('pro'), minuteCount: 50, dayCount: 70 });
    expect(usagePlansOf(key.ownerId)).toEqual(['plan-pro']);
  });

  it.each([
    ['larger', 'free', 'pro', ['deleteUsagePlanKey', 'createUsagePlanKey'], 'free'],
    ['smaller', 'pro', 'free', [], 'free'],
  ] as const)(
    'never leaves the usage plan as the tighter of the two: to a %s plan, stopped at the second write',
    async (_, from, to, gatewayCalls, left) => {
      const { details } = await createOwner({ name: 'Acme', plan: from }, stage.store);
      const before = stage.gateway.changes.length;
      // The first write notes what was agreed, the second is the owner's item.
      const isLarger = to === 'pro';
      const store = isLarger ? stage.failingAt(2, 'before') : stage.store;
      if (!isLarger) stage.gateway.fail('deleteUsagePlanKey', 1);

      await expect(setOwnerPlan('Acme', { plan: to }, store)).rejects.toThrow(
        'run the command again',
      );
      const { item } = await findCompleteOwner('Acme', stage.store);
      const between = stage.gateway.changes.slice(before);
      await setOwnerPlan('Acme', { plan: to }, stage.store);

      expect([between, item.plan]).toEqual([gatewayCalls, left]);
      expect((await findCompleteOwner('Acme', stage.store)).item.plan).toBe(to);
      expect(usagePlansOf(details.ownerId)).toEqual([`plan-${to}`]);
    },
  );

  it('refuses limits beyond the plan, and changes nothing', async () => {
    await create();

    const refused = setOwnerPlan('Acme', { plan: 'pro', perMinute: 301 }, stage.store);

    await expect(refused).rejects.toThrow(/^perMinute: 301 is not accepted; expected .*1 to 300/);
    expect((await findCompleteOwner('Acme', stage.store)).item.plan).toBe('free');
  });
});

describe('renameOwner', () => {
  it('is found under the new name and no longer under the old one, which is free again', async () => {
    const { details } = await create();

    await renameOwner('Acme', 'Acme Pets', stage.store);

    const found = await findOwner('acme pets', stage.store);
    expect(found.details).toMatchObject({ ownerId: details.ownerId, name: 'Acme Pets' });
    await expect(findOwner('Acme', stage.store)).rejects.toThrow('There is no owner "Acme"');
    await create();
  });

  it("refuses another owner's name", async () => {
    await create();
    await createOwner({ name: 'Initech', plan: 'free' }, stage.store);

    await expect(renameOwner('Acme', 'initech', stage.store)).rejects.toThrow(
      'Another owner has the name "initech"',
    );
  });

  it.each([1, 2, 3])('is completed by another run when write %i failed', async (write) => {
    const { details } = await create();
    const failed = renameOwner('Acme', 'Pets', stage.failingAt(write, 'before'));
    await expect(failed).rejects.toThrow('run the command again to complete it');

    await renameOwner(details.ownerId, 'Pets', stage.store);

    expect((await findOwner('Pets', stage.store)).details.ownerId).toBe(details.ownerId);
    await expect(findOwner('Acme', stage.store)).rejects.toThrow('There is no owner');
  });
});

describe('setOwnerStatus', () => {
  it('suspends and resumes', async () => {
    await create();
    const owner = await findCompleteOwner('Acme', stage.store);

    const suspended = await setOwnerStatus(owner, 'suspended', stage.store);
    const resumed = await setOwnerStatus(owner, 'active', stage.store);

    expect([suspended.item.isActive, resumed.item.isActive]).toEqual([false, true]);
  });
});

describe('applyPlans', () => {
  it("finds owners whose limits are not their plan's, and gives them those", async () => {
    const [old] = [await stage.issue(), await stage.issue({ owner: 'Initech', plan: 'pro' })];
    await stage.set(old, { perMinute: 30, perDay: 300 });

    const { outdated } = await reviewPlans(stage.store);
    await applyPlans(outdated, stage.store);

    expect(outdated.map(({ owner, limits }) => [owner.details.name, limits])).toEqual([
      ['Acme', limitsOf('free')],
    ]);
    expect((await findCompleteOwner('Acme', stage.store)).item).toMatchObject(limitsOf('free'));
    expect((await reviewPlans(stage.store)).outdated).toEqual([]);
  });

  it('leaves what was agreed with an owner as it is', async () => {
    const own = { perMinute: 5_000, perDay: 50_000 };
    await createOwner({ name: 'Initech', plan: 'enterprise', ...own }, stage.store);

    expect(await reviewPlans(stage.store)).toEqual({ outdated: [], unclear: [] });
  });
});

describe('resetUsage', () => {
  it('frees an owner whose windows a wrong clock has moved far ahead', async () => {
    const key = await stage.issue();
    const later = nowSeconds + 400 * 86_400;
    await stage.set(key, { minuteWindow: later, minuteCount: 60, dayWindow: later, dayCount: 999 });

    const { item } = await resetUsage('Acme', stage.store);

    expect(item).toMatchObject({ minuteWindow: 0, minuteCount: 0, dayWindow: 0, dayCount: 0 });
  });
});

function limitsOf(plan: 'free' | 'pro') {
  const { perMinute, perDay } = plans[plan];
  return { perMinute, perDay };
}
