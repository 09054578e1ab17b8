import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type PlanName, planNames } from '../../../lib/settings/plans.ts';
import { temporaryDirectoryOfEachTest } from '../../../test/helpers/temporary-directory.ts';
import { revokeKey } from '../../admin/keys/change-key.ts';
import { issueKey } from '../../admin/keys/issue-key.ts';
import { listKeys } from '../../admin/keys/key-view.ts';
import { rotateKey } from '../../admin/keys/rotate-key.ts';
import { renameOwner } from '../../admin/owners/change-owner.ts';
import { setOwnerPlan } from '../../admin/owners/set-owner-plan.ts';
import { allOwners } from '../../admin/stored/find-owner.ts';
import type { StoredOwner } from '../../admin/stored/stored-owner.ts';
import { nowSeconds, stageOfEachTest } from '../../admin/test/stage-of-keys.ts';
import { DataDirectory } from '../aws/data-directory.ts';
import { type DemoKeys, provideDemoKeys } from '../demo-keys.ts';

const { stage, gatewayKeys } = stageOfEachTest();
const directory = temporaryDirectoryOfEachTest();
let data: DataDirectory;
let before: DemoKeys;

beforeEach(async () => {
  data = new DataDirectory(directory.path);
  before = await provideDemoKeys(stage, data);
});

afterEach(() => data.release());

const again = () => provideDemoKeys(stage, data);
/** Each owner has an API Gateway key, which is in the usage plan of its plan. */
const expectGatewayKeys = (owners: readonly StoredOwner[]) => {
  const expected = owners.map(({ details, item }) => {
    return [details.ownerId, stage.usagePlanId(item!.plan as PlanName)] as const;
  });
  expect(gatewayKeys()).toEqual(new Map(expected));
};
const idOf = async (owner: string) => (await listKeys({ owner }, stage))[0]!.keyId;

describe('provideDemoKeys', () => {
  it('creates an owner with one key for each plan', async () => {
    const owners = await allOwners(stage);

    expect(owners.map(({ details, item }) => [details.name, item!.plan]).sort()).toEqual(
      planNames.map((plan) => [`demo ${plan}`, plan]).sort(),
    );
    expect(await listKeys({ status: 'active' }, stage)).toHaveLength(planNames.length);
    expectGatewayKeys(owners);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['its owner was renamed', () => renameOwner('demo free', 'me', stage)],
    [
      'its owner was moved to another plan',
      () => setOwnerPlan('demo free', { plan: 'pro' }, stage),
    ],
  ])('keeps the keys in later runs if %s', async (_, make) => {
    await make();

    expect(await again()).toEqual(before);
  });

  it('issues another key if the kept one was rotated, even during its grace period', async () => {
    const { apiKey } = await rotateKey(await idOf('demo free'), nowSeconds + 3_600, stage);

    const { free } = await again();

    expect([before.free, apiKey]).not.toContain(free);
    expect((await again()).free).toBe(free);
  });

  it('issues another key if the kept one was revoked', async () => {
    await revokeKey(await idOf('demo free'), stage);

    const { free } = await again();

    expect(free).not.toBe(before.free);
    expect(await listKeys({ owner: 'demo free', status: 'active' }, stage)).toHaveLength(1);
    expect(await allOwners(stage)).toHaveLength(planNames.length);
  });

  it('replaces the keys of an earlier run that did not keep them, and no others', async () => {
    const { apiKey } = await issueKey({ owner: 'demo free', label: 'mine' }, stage);

    const { free } = await provideDemoKeys(stage, undefined);

    const left = await listKeys({ owner: 'demo free', status: 'active' }, stage);
    expect(left.map(({ lastFour }) => lastFour).sort()).toEqual(
      [apiKey, free].map((token) => token.slice(-4)).sort(),
    );
  });
});
