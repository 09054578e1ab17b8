import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { hashOwnerPart, hashToken } from '../../../../lambdas/keys/api-key.ts';
import { plans } from '../../../../lib/settings/plans.ts';
import { keyPrefix } from '../../../../test/helpers/dynamodb/key-items.ts';
import { expire } from '../../keys/expire.ts';
import { issueKey } from '../../keys/issue.ts';
import { revoke } from '../../keys/revoke.ts';
import { createOwner, type NewOwner } from '../../owners/create.ts';
import { deletion } from '../../owners/delete.ts';
import { ownerResult, ownerView } from '../../owners/owner-view.ts';
import type { PlanRequest } from '../../owners/plan-request.ts';
import { rename } from '../../owners/rename.ts';
import { repairOwners } from '../../owners/repair.ts';
import { setPlan } from '../../owners/set-plan.ts';
import { suspend } from '../../owners/suspend.ts';
import { daysOf, ownersUsage } from '../../owners/usage.ts';
import type { KeyGateway } from '../../stage/key-gateway.ts';
import type { KeyStage } from '../../stage/key-stage.ts';
import { deleteGatewayKeys, findGatewayKeys } from '../../store/gateway-keys.ts';
import { readHistory } from '../../store/history.ts';
import { createToken } from '../../store/identities.ts';
import { allOwners, findOwner } from '../../store/owners.ts';
import {
  interposed,
  issueTo,
  minute,
  nowMs,
  nowSeconds,
  run,
  stageOfEachTest,
} from '../stage-of-keys.ts';

const own = { perMinute: 5, perDay: 50 };

const fixture = stageOfEachTest();
const { stage, gatewayKeys, readAll } = fixture;

const create = (request: Partial<NewOwner> = {}, at: KeyStage = stage) =>
  createOwner({ name: 'Acme', plan: 'free', ...request }, at);
const issueToAcme = () => issueKey({ owner: 'Acme' }, stage);
const viewOf = async (ownerId: string) => ownerView(await fixture.owner(ownerId), stage);
const usagePlans = () => [...gatewayKeys().values()];
/** All items except histories. */
const everything = async () => [await readAll('ApiKeys'), await ownersItems(), usagePlans()];
const ownersItems = async () =>
  (await readAll('Owners')).filter(({ ownerId }) => !String(ownerId).startsWith('history#'));
/** A stage on which API Gateway throttles the first such call. */
const throttling = (throttled: keyof KeyGateway) =>
  interposed(
    stage,
    (call) => call === throttled,
    () => Promise.reject(new Error('Too Many Requests')),
  );

describe('createOwner', () => {
  it('stores the secret and the details in another table than the authorizer reads', async () => {
    const { details, item } = await create({ name: ' Acme Ltd ' });

    expect(details).toEqual({
      ownerId: expect.stringMatching(/^own_[0-9A-Za-z]{20}$/),
      name: 'Acme Ltd',
      createdAt: '2026-11-20T09:30:15.500Z',
      seed: expect.stringMatching(/^[\w-]{43}$/),
      ownerHash: hashOwnerPart(createToken(keyPrefix, details.seed)),
      keys: {},
    });
    expect(item).toMatchObject({ plan: 'free', status: 'active' });
    expect(item).not.toHaveProperty('perMinute');
    expect(JSON.stringify(await readAll('ApiKeys'))).not.toContain(details.seed);
  });

  // The last name has a decomposed letter.
  it.each(['CAFÉ 1', ' Cafe\u0301 \t\u00a0\n1'])(
    'refuses a name that is taken: %j',
    async (name) => {
      const { details } = await create({ name: 'Café 1' });

      await expect(create({ name, plan: 'pro' })).rejects.toThrow(
        `There is already an owner "Café 1", ${details.ownerId}, on the free plan`,
      );
      expect(await allOwners(stage)).toHaveLength(1);
      expect(usagePlans()).toEqual(['plan-free']);
    },
  );

  it.each([
    [`Acme ${keyPrefix}${'a'.repeat(22)}`, 'this looks like an API key'],
    [`own_${'a'.repeat(20)}`, 'does not have the form of an owner id'],
    ['Acme\u200b Ltd', 'without characters that nobody sees'],
    ['bell\u0007', 'without characters that nobody sees'],
  ])('refuses the name %j', async (name, message) => {
    const error: Error = await create({ name }).catch((thrown) => thrown);

    expect(error.message).toContain(message);
    if (message.includes('key')) expect(error.message).not.toContain(name);
    expect(await everything()).toEqual([[], [], []]);
  });
});

describe('owners set-plan', () => {
  it('moves an owner whose plan was removed, as its view says', async () => {
    const plan = 'constructor';
    const { details } = await create({ plan: 'pro' });
    await fixture.set(details.ownerId, { plan });
    expect(await viewOf(details.ownerId)).toMatchObject({
      plan,
      isPlanKnown: false,
      perMinute: 60,
    });
    const { text } = ownerResult(await fixture.owner(details.ownerId), stage);
    expect(text).toMatch(
      new RegExp(`^plan +${plan}, which was removed: "\\./admin owners set-plan own_`, 'm'),
    );

    const owner = await run(setPlan, ['Acme', 'free'], stage);

    expect(owner).toMatchObject({ plan: 'free' });
    expect(usagePlans()).toEqual(['plan-pro', 'plan-free']);
  });

  it('stores own limits with the enterprise plan, and removes them with the next plan', async () => {
    await create();
    const set = async (request: PlanRequest) => {
      await run(setPlan, ['Acme', request.plan], stage, request);
      const { plan, perMinute, perDay } = (await findOwner('Acme', stage)).item!;
      return { plan, perMinute, perDay };
    };
    const plan = 'enterprise';

    expect(await set({ plan, ...own })).toEqual({ plan, ...own });
    expect(await set({ plan, perDay: 7 })).toEqual({ plan, ...own, perDay: 7 });
    expect(await set({ plan })).toEqual({ plan, ...own, perDay: 7 });
    expect(await set({ plan: 'pro' })).toEqual({ plan: 'pro' });
    expect((await readAll('ApiKeys'))[0]).not.toHaveProperty('perDay');
  });
});

describe('the API Gateway key of the new plan', () => {
  it('is added before the plan changes, which waits until API Gateway knows the key', async () => {
    const { details } = await create();
    const { ownerId } = details;
    const seen: unknown[] = [];
    const settle = async () => {
      const { item } = await fixture.owner(ownerId);
      seen.push([item!.plan, gatewayKeys().get(`${ownerId}_pro`)]);
    };

    await run(setPlan, ['Acme', 'pro'], { ...stage, settle });

    expect(seen).toEqual([['free', 'plan-pro']]);
    expect(usagePlans()).toEqual(['plan-free', 'plan-pro']);
    for (const plan of ['free', 'pro'] as const) {
      await run(setPlan, ['Acme', plan], { ...stage, settle });
    }
    expect(seen).toHaveLength(1);
  });

  it('is missing if API Gateway refuses it because of another change', async () => {
    const refused = Object.assign(new Error('due to concurrent modification'), {
      name: 'ConflictException',
    });
    const addToUsagePlan = () => Promise.reject(refused);

    await expect(
      create({}, { ...stage, gateway: { ...stage.gateway, addToUsagePlan } }),
    ).rejects.toMatchObject({ cause: refused });
  });

  it('is not looked up for an owner that another command has deleted', async () => {
    const exists = Object.assign(new Error('API Key already exists'), {
      name: 'ConflictException',
    });
    const gateway = {
      ...stage.gateway,
      createGatewayKey: () => Promise.reject(exists),
      findGatewayKeys: async () => [],
    };

    await expect(create({}, { ...stage, gateway })).rejects.toMatchObject({
      cause: expect.objectContaining({ code: 'changedMeanwhile' }),
    });
  });
});

describe('owners rename', () => {
  it('accepts a name that differs only in case', async () => {
    await create();

    await run(rename, ['Acme', 'ACME'], stage);

    expect((await findOwner('acme', stage)).details.name).toBe('ACME');
  });

  it('refuses the name of another owner', async () => {
    await create();
    await create({ name: 'Initech' });

    await expect(run(rename, ['Acme', 'initech'], stage)).rejects.toThrow(
      'There is already an owner "Initech"',
    );
    expect((await findOwner('Acme', stage)).details.name).toBe('Acme');
  });
});

describe('owners delete', () => {
  it('removes everything of the owner, and nothing of other owners', async () => {
    const other = await create({ name: 'Initech' });
    await issueKey({ owner: 'Initech' }, stage);
    const before = await everything();
    await create();
    await issueKey({ owner: 'Acme' }, stage);

    await run(deletion, ['acme'], stage);

    expect(await everything()).toEqual(before);
    // The history, too, has only the id.
    expect(JSON.stringify(await readAll('Owners'))).not.toContain('Acme');
    expect((await allOwners(stage)).map(({ details }) => details.ownerId)).toEqual([
      other.details.ownerId,
    ]);
    expect((await create({ plan: 'pro' })).item!.keys).toEqual({});
  });
});

describe('ownerView', () => {
  it('shows the usage and the banned keys', async () => {
    const { details } = await create();
    const [banned, ...others] = [await issueToAcme(), await issueToAcme(), await issueToAcme()];
    await fixture.set(details.ownerId, { minuteWindow: minute, minuteCount: 12 });
    const bannedUntil = nowSeconds + 30;
    for (const [key, state] of [
      [banned, { bannedUntil }],
      [others[0], { bannedUntil, expiresAt: nowSeconds }],
      [others[1], { bannedUntil: nowSeconds }],
    ] as const) {
      await fixture.set(details.ownerId, state, hashToken(key!.apiKey));
    }

    expect(await viewOf(details.ownerId)).toMatchObject({
      isPlanKnown: true,
      keys: 3,
      bans: [{ keyId: banned!.keyId, bannedUntil: '2026-11-20T09:30:45Z' }],
      usage: {
        minute: { limit: 60, used: 12, resetsAt: '2026-11-20T09:31:00Z' },
        day: { used: 0, resetsAt: '2026-11-21T00:00:00Z' },
      },
    });
  });

  it('shows the last use of any key, including revoked keys', async () => {
    const { ownerId } = (await create()).details;
    const [old, present] = [await issueToAcme(), await issueToAcme()];
    await fixture.set(ownerId, { usedAt: minute - 120 }, hashToken(present.apiKey));
    await fixture.set(ownerId, { usedAt: minute - 60 }, hashToken(old.apiKey));
    const lastUsedAt = '2026-11-20T09:29:00Z';

    expect(await viewOf(ownerId)).toMatchObject({ lastUsedAt });
    await run(revoke, [old.keyId], stage);
    expect(await viewOf(ownerId)).toMatchObject({ lastUsedAt });
  });
});

const log = (...used: number[]) => used.map((requests) => [requests, 1_000 - requests]);

it('ownersUsage adds the requests in each usage plan, by the id of a gateway key or its value', async () => {
  const { ownerId } = (await create()).details;
  const { ownerId: busy } = (await create({ name: 'Busy' })).details;
  const { ownerId: idle } = (await create({ name: 'Idle' })).details;
  const [gatewayKey] = await findGatewayKeys(stage, ownerId);
  const usage: Record<string, Record<string, number[][]>> = {
    'plan-free': { [gatewayKey!.id]: log(0, 2, 3), [`${busy}_free`]: log(0, 0, 90) },
    'plan-pro': { [`${ownerId}_pro`]: log(1, 0, 4), other: log(7, 7, 7) },
  };
  const getUsage: KeyGateway['getUsage'] = async ({ usagePlanId }) => usage[usagePlanId] ?? {};
  const metered = { ...stage, gateway: { ...stage.gateway, getUsage } };
  const days = ['2026-11-18', '2026-11-19', '2026-11-20'];

  const used = (...counts: number[]) =>
    counts
      .map((requests, index) => ({ day: `2026-11-${18 + index}`, requests }))
      .filter(({ requests }) => requests > 0);
  const acme = { ownerId, name: 'Acme', plan: 'free', requests: 10, days: used(1, 2, 7) };
  expect(await ownersUsage(undefined, days, metered)).toEqual([
    { ownerId: busy, name: 'Busy', plan: 'free', requests: 90, days: used(0, 0, 90) },
    acme,
    { ownerId: idle, name: 'Idle', plan: 'free', requests: 0, days: used(0, 0, 0) },
  ]);
  expect(await ownersUsage('Acme', days, metered)).toEqual([acme]);
});

describe('repairOwners', () => {
  it('adds the API Gateway keys that are missing or in no usage plan', async () => {
    const { ownerId: missing } = (await create()).details;
    const { ownerId: inNoPlan } = (await create({ name: 'In no plan', plan: 'pro' })).details;
    await create({ name: 'Clear' });
    const before = gatewayKeys();
    for (const ownerId of [missing, inNoPlan]) await deleteGatewayKeys(ownerId, stage);
    const value = `${inNoPlan}_pro`;
    const name = `${stage.stackName}-${value}`;
    await stage.gateway.createGatewayKey({ name, value, tags: {} });

    const { repaired } = await repairOwners(stage);

    expect(repaired.sort()).toEqual([missing, inNoPlan].sort());
    expect(gatewayKeys()).toEqual(before);
    expect(await repairOwners(stage)).toMatchObject({ repaired: [], deletedKeys: 0 });
  });

  it('deletes the API Gateway keys of deleted owners, but not of owners that are being created', async () => {
    const kept = await create();
    const { details } = await create({ name: 'Deleted' });
    await run(setPlan, ['Deleted', 'pro'], stage);
    await run(deletion, ['Deleted'], throttling('findGatewayKeys')).catch(() => {});
    const isLook = (call: unknown) => call === 'findGatewayKeys';
    const beforeKeys = interposed(stage, isLook, () => create({ name: 'New' }));
    const isScan = (call: unknown) => typeof call !== 'string';
    const meanwhile = interposed(beforeKeys, isScan, () => create({ name: 'Newer' }));

    const { deletedKeys } = await repairOwners(meanwhile);

    expect(deletedKeys).toBe(2);
    const left = [...gatewayKeys().keys()];
    expect(left).toHaveLength(3);
    expect(left).toContain(`${kept.details.ownerId}_free`);
    expect(left.join()).not.toContain(details.ownerId);
  });

  it('deletes no API Gateway key if there is no owner at all', async () => {
    const { details } = await create();
    await run(deletion, ['Acme'], throttling('findGatewayKeys')).catch(() => {});

    await expect(repairOwners(stage)).rejects.toThrow(
      'nothing was changed: there are no owners, but 1 API Gateway key of owners',
    );
    expect(gatewayKeys().size).toBe(1);
    expect(await run(deletion, [details.ownerId], stage)).toMatchObject({ keys: 0 });
    expect(gatewayKeys().size).toBe(0);
    await expect(run(deletion, ['Acme'], stage)).rejects.toThrow('There is no owner');
    const unknown = `own_${'0'.repeat(20)}`;
    await expect(run(deletion, [unknown], stage)).rejects.toThrow('There is no owner');
  });
});

it('the usage of a month has its days until today that API Gateway still has', () => {
  expect(daysOf('2026-11', nowMs)).toHaveLength(20);
  expect(daysOf('2026-10', nowMs)).toHaveLength(31);
  expect(daysOf('2026-08', nowMs)).toEqual(
    Array.from({ length: 9 }, (_, index) => `2026-08-${23 + index}`),
  );
  for (const month of ['2026-07', '2026-12']) {
    expect(() => daysOf(month, nowMs)).toThrow(
      `--month: "${month}" is not accepted; expected a month from 2026-08 to 2026-11`,
    );
  }
});

const { perMinute: most } = plans.enterprise;

it.each<[string, Partial<NewOwner>, string]>([
  [
    'more than the maximum of its plan',
    { plan: 'enterprise', perMinute: most + 1, perDay: 5 },
    `--per-minute: ${most + 1} is not accepted; expected a whole number from 1 to ${most}, the maximum of`,
  ],
  ['one of two', { plan: 'enterprise', perMinute: 10 }, '--per-day: missing'],
  [
    'set in a plan without own limits',
    { plan: 'pro', perDay: 5 },
    '--per-day: an owner of the pro plan has no own limits; choose the plan enterprise, or leave',
  ],
])('the limits of an owner cannot be %s', async (_, request, message) => {
  await expect(create(request)).rejects.toThrow(message);
  expect(await readAll('Owners')).toEqual([]);
});

it('an owner cannot get a plan that the deployed version does not have', async () => {
  const { free: _free, ...deployed } = plans;

  await expect(create({}, { ...stage, plans: deployed })).rejects.toThrow(
    'The deployed version has no plan free; check out the deployed commit, or deploy',
  );
});

describe('the history of an owner', () => {
  it('says who has changed what of the owner and its keys, and when', async () => {
    const { ownerId, keyId } = await issueTo({ owner: 'Acme', label: 'web shop' }, stage);
    await run(
      setPlan,
      ['Acme', 'enterprise'],
      { ...stage, now: () => nowMs + 1_000, operator: 'user/bob' },
      {
        perMinute: 70,
        perDay: 500,
      },
    );
    // Changes nothing, so it is not recorded.
    await run(setPlan, ['Acme', 'enterprise'], stage);
    await run(expire, [keyId, '60s'], stage);

    const to = (value: unknown) => ({ from: null, to: value });
    const byAnn = { at: '2026-11-20T09:30:15.500Z', by: 'user/ann' };
    const history = await readHistory(ownerId, stage);
    expect(Object.keys(history[0]!)).toEqual(['at', 'by', 'command', 'changes']);
    expect(history).toEqual([
      {
        ...byAnn,
        command: 'owners create',
        changes: { name: to('Acme'), plan: to('free') },
      },
      { ...byAnn, command: 'keys issue', keyIds: [keyId], changes: { label: to('web shop') } },
      {
        at: '2026-11-20T09:30:16.500Z',
        by: 'user/bob',
        command: 'owners set-plan',
        changes: {
          plan: { from: 'free', to: 'enterprise' },
          perMinute: to(70),
          perDay: to(500),
        },
      },
      // This operator's clock is behind.
      {
        ...byAnn,
        command: 'keys expire',
        keyIds: [keyId],
        changes: { expiresAt: to('2026-11-20T09:31:15Z') },
      },
    ]);
  });

  it('keeps the latest 180 records, which fit into an item', async () => {
    const { ownerId } = await issueTo({ owner: 'Acme' }, stage);
    const changes = { name: { from: '日'.repeat(200), to: '本'.repeat(200) } };
    const old = Array.from({ length: 180 }, (_, at) => [
      at + 1,
      { at, by: '日'.repeat(128), command: 'owners rename', changes },
    ]);
    const Item = { ownerId: `history#${ownerId}`, ...Object.fromEntries(old) };
    const { details } = await fixture.owner(ownerId);
    for (const each of [Item, { ...details, revision: 180 }]) {
      await stage.documents.send(new PutCommand({ TableName: stage.ownersTable, Item: each }));
    }

    await run(suspend, ['Acme'], stage);

    const history = await readHistory(ownerId, stage);
    expect(history.map(({ at }) => at)).toEqual([
      ...Array.from({ length: 179 }, (_, index) => index + 1),
      '2026-11-20T09:30:15.500Z',
    ]);
  });
});
