import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { hashOwnerPart } from '../../../../lambdas/keys/api-key.ts';
import { plans } from '../../../../lib/settings/plans.ts';
import { keyPrefix } from '../../../../test/helpers/dynamodb/key-items.ts';
import type { KeyGateway } from '../../stage/key-gateway.ts';
import { ensureGatewayKey, findGatewayKeys } from '../../store/gateway-keys.ts';
import { readHistory } from '../../store/history.ts';
import { createToken } from '../../store/identities.ts';
import { allOwners, findOwner } from '../../store/owners.ts';
import {
  interposed,
  issueTo,
  isTransaction,
  minute,
  nowSeconds,
  run,
  stageOfEachTest,
} from '../stage-of-keys.ts';

const fixture = stageOfEachTest();
const { stage, gatewayKeys, readAll } = fixture;

const owners = (line: string, at = stage) => run(`owners ${line}`, at);
const create = (name = 'Acme', options = '--plan free', at = stage) =>
  owners(`create "${name}" ${options}`, at);
const usagePlans = () => [...gatewayKeys().values()];
/** All items except histories. */
const everything = async () => {
  const items = await readAll('Owners');
  const others = items.filter(({ ownerId }) => !String(ownerId).startsWith('history#'));
  return [await readAll('ApiKeys'), others, usagePlans()];
};

describe('owners create', () => {
  it('stores the secret and the details in another table than the authorizer reads', async () => {
    const { ownerId } = await create(' Acme Ltd ');

    const { details, item } = await findOwner(ownerId, stage);
    expect(details).toEqual({
      ownerId: expect.stringMatching(/^own_[0-9A-Za-z]{20}$/),
      ...{ name: 'Acme Ltd', createdAt: '2026-11-20T09:30:15.500Z', revision: 1 },
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
      const { ownerId } = await create('Café 1');

      await expect(create(name, '--plan pro')).rejects.toThrow(
        `There is already an owner "Café 1", ${ownerId}, on the free plan`,
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
    const error: Error = await create(name).catch((thrown) => thrown);

    expect(error.message).toContain(message);
    if (message.includes('key')) expect(error.message).not.toContain(name);
    expect(await everything()).toEqual([[], [], []]);
  });
});

it('owners set-plan stores own limits with the enterprise plan, and removes them with the next plan', async () => {
  await create();
  const set = async (words: string) => {
    await owners(`set-plan Acme ${words}`);
    const { plan, perMinute, perDay } = (await findOwner('Acme', stage)).item;
    return { plan, perMinute, perDay };
  };
  const own = { plan: 'enterprise', perMinute: 5, perDay: 50 };

  expect(await set('enterprise --per-minute 5 --per-day 50')).toEqual(own);
  expect(await set('enterprise --per-day 7')).toEqual({ ...own, perDay: 7 });
  expect(await set('enterprise')).toEqual({ ...own, perDay: 7 });
  expect(await set('pro')).toEqual({ plan: 'pro' });
  expect((await readAll('ApiKeys'))[0]).not.toHaveProperty('perDay');
});

const conflict = (message: string) =>
  Object.assign(new Error(message), { name: 'ConflictException' });

describe('an API Gateway key', () => {
  it('is added and awaited before the plan changes, and awaited again after an interrupted wait', async () => {
    const { ownerId } = await create();
    const seen: unknown[] = [];
    const settle = async () => {
      const { item } = await findOwner(ownerId, stage);
      seen.push([item!.plan, gatewayKeys().get(`${ownerId}_pro`)]);
      if (seen.length === 1) throw new Error('interrupted');
    };
    const move = () => owners('set-plan Acme pro', { ...stage, settle });

    await expect(move()).rejects.toThrow('interrupted');
    await move();

    const awaited = ['free', 'plan-pro'];
    expect(seen).toEqual([awaited, awaited]);
    expect(usagePlans()).toEqual(['plan-free', 'plan-pro']);
    await move();
    expect(seen).toHaveLength(2);
  });

  it.each<[string, Partial<KeyGateway>, object]>([
    [
      'is refused because of another change, is not taken for a key that exists',
      { addToUsagePlan: () => Promise.reject(conflict('due to concurrent modification')) },
      { message: 'due to concurrent modification' },
    ],
    [
      'belongs to an owner that another command has deleted, is not found',
      {
        createGatewayKey: () => Promise.reject(conflict('API Key already exists')),
        findGatewayKeys: async () => [],
      },
      { code: 'changedMeanwhile' },
    ],
  ])('that %s', async (_, calls, cause) => {
    const failing = { ...stage, gateway: { ...stage.gateway, ...calls } };

    await expect(create('Acme', '--plan free', failing)).rejects.toMatchObject({ cause });
  });
});

it('owners rename accepts a name that differs only in case, and refuses that of another owner', async () => {
  await create();
  await create('Initech');

  await owners('rename Acme ACME');

  await expect(owners('rename Acme initech')).rejects.toThrow(
    'There is already an owner "Initech"',
  );
  expect((await findOwner('acme', stage)).details.name).toBe('ACME');
});

it('owners rename calls an owner that has changed at the same time by its present name', async () => {
  await create();
  const meanwhile = interposed(stage, isTransaction, () => owners('suspend Acme'));

  await expect(owners('rename Acme Hooli', meanwhile)).rejects.toThrow(
    'The owner "Acme" was changed by somebody else at the same time',
  );
});

it('owners delete removes everything of the owner, and nothing of other owners', async () => {
  await issueTo('Initech', stage);
  const before = await everything();
  await issueTo('Acme', stage);

  await owners('delete acme');

  expect(await everything()).toEqual(before);
  // The history, too, has only the id.
  expect(JSON.stringify(await readAll('Owners'))).not.toContain('Acme');
  expect(await create()).toMatchObject({ keys: 0 });
});

it('owners show has the usage, the banned keys, and the last use of any key, also if it is revoked', async () => {
  const [{ ownerId, keyId }, expired, revoked] = [
    await issueTo('Acme', stage),
    await issueTo('Acme', stage),
    await issueTo('Acme', stage),
  ];
  const bannedUntil = nowSeconds + 30;
  await fixture.set(ownerId, { minuteWindow: minute, minuteCount: 12 });
  await fixture.set(keyId, { bannedUntil, usedAt: minute - 120 });
  await fixture.set(expired.keyId, { bannedUntil, expiresAt: nowSeconds });
  await fixture.set(revoked.keyId, { bannedUntil: nowSeconds, usedAt: minute - 60 });
  const expected = {
    bans: [{ keyId, bannedUntil: '2026-11-20T09:30:45Z' }],
    lastUsedAt: '2026-11-20T09:29:00Z',
    usage: {
      minute: { limit: 60, used: 12, resetsAt: '2026-11-20T09:31:00Z' },
      day: { used: 0, resetsAt: '2026-11-21T00:00:00Z' },
    },
  };

  expect(await owners(`show ${ownerId}`)).toMatchObject({ ...expected, keys: 3 });
  await run(`keys revoke ${revoked.keyId}`, stage);
  expect(await owners(`show ${ownerId}`)).toMatchObject({ ...expected, keys: 1 });
});

it('owners usage adds the requests in each usage plan, by the id of a gateway key or its value', async () => {
  const { ownerId: busy } = await create('Busy');
  const later = { ...stage, now: () => stage.now() + 1 };
  const { ownerId } = await create('Acme', '--plan free', later);
  const [gatewayKey] = await findGatewayKeys(stage, ownerId);
  const log = (...used: number[]) => used.map((requests) => [requests, 1_000 - requests]);
  const metered: Record<string, Record<string, number[][]>> = {
    'plan-free': { [gatewayKey!.id]: log(0, 2, 3), [`${busy}_free`]: log(0, 0, 90) },
    'plan-pro': { [`${ownerId}_pro`]: log(1, 0, 4), other: log(7, 7, 7) },
  };
  const getUsage: KeyGateway['getUsage'] = async ({ usagePlanId }) => metered[usagePlanId] ?? {};
  const at = { ...stage, gateway: { ...stage.gateway, getUsage } };

  expect(await owners('usage', at)).toMatchObject([
    { ownerId: busy, name: 'Busy', plan: 'free', requests: 90 },
    { ownerId, requests: 10 },
  ]);
  expect((await owners('usage Acme', at)).days).toEqual([
    { day: '2026-11-01', requests: 1 },
    { day: '2026-11-02', requests: 2 },
    { day: '2026-11-03', requests: 7 },
  ]);
});

describe('owners repair', () => {
  it('deletes the API Gateway keys of deleted owners, but not of owners that are being created', async () => {
    const [kept, deleted] = [await create(), await create('Deleted')];
    await owners('set-plan Deleted pro');
    const throttled = interposed(
      stage,
      (call) => call === 'findGatewayKeys',
      () => Promise.reject(new Error('Too Many Requests')),
    );
    await owners('delete Deleted', throttled).catch(() => {});
    const isLook = (call: unknown) => call === 'findGatewayKeys';
    const beforeKeys = interposed(stage, isLook, () => create('New'));
    const isScan = (call: unknown) => typeof call !== 'string';
    const meanwhile = interposed(beforeKeys, isScan, () => create('Newer'));

    const { deletedKeys } = await owners('repair', meanwhile);

    expect(deletedKeys).toBe(2);
    const left = [...gatewayKeys().keys()];
    expect(left).toHaveLength(3);
    expect(left).toContain(`${kept.ownerId}_free`);
    expect(left.join()).not.toContain(deleted.ownerId);
  });

  it('deletes no API Gateway key if there is no owner at all', async () => {
    // The tables are new, so there is no history either.
    const ownerId = `own_${'a'.repeat(20)}`;
    await ensureGatewayKey(ownerId, 'free', stage);

    await expect(owners('repair')).rejects.toThrow(
      'nothing was changed: there are no owners, but 1 API Gateway key of owners',
    );
    expect(gatewayKeys().size).toBe(1);
    expect(await owners(`delete ${ownerId}`)).toMatchObject({ keys: 0 });
    expect(gatewayKeys().size).toBe(0);
    await expect(owners('delete Acme')).rejects.toThrow('There is no owner');
    await expect(owners(`delete own_${'0'.repeat(20)}`)).rejects.toThrow('There is no owner');
  });
});

it.each([
  ['2026-11', '2026-11-01', '2026-11-20'],
  ['2026-10', '2026-10-01', '2026-10-31'],
  ['2026-08', '2026-08-23', '2026-08-31'],
  ['2026-07'],
  ['2026-12'],
  ['2026-1'],
])('owners usage reads the days of %s until today that API Gateway still has', async (...row) => {
  const [month, startDate, endDate] = row;
  const asked: object[] = [];
  const getUsage: KeyGateway['getUsage'] = async ({ usagePlanId: _, ...days }) => {
    asked.push(days);
    return {};
  };

  const read = owners(`usage --month ${month}`, {
    ...stage,
    gateway: { ...stage.gateway, getUsage },
  });

  const refusal = `--month: "${month}" is not accepted; expected a month from 2026-08 to 2026-11`;
  if (!startDate) return expect(read).rejects.toThrow(refusal);
  await read;
  expect(asked[0]).toEqual({ startDate, endDate });
});

const { perMinute: most } = plans.enterprise;

it.each([
  [
    'more than the maximum of its plan',
    `--plan enterprise --per-minute ${most + 1} --per-day 5`,
    `--per-minute: ${most + 1} is not accepted; expected a whole number from 1 to ${most}, the maximum of`,
  ],
  ['one of two', '--plan enterprise --per-minute 10', '--per-day: missing'],
  [
    'set in a plan without own limits',
    '--plan pro --per-day 5',
    '--per-day: an owner of the pro plan has no own limits; choose the plan enterprise, or leave',
  ],
  [
    'those of a plan that the deployed version does not have',
    '--plan free',
    'The deployed version has no plan free; check out the deployed commit, or deploy',
  ],
])('the limits of an owner cannot be %s', async (_, options, message) => {
  const { free: _free, ...deployed } = plans;

  const created = create('Acme', options, { ...stage, plans: deployed });

  await expect(created).rejects.toThrow(message);
  expect(await readAll('Owners')).toEqual([]);
});

it('the history of an owner keeps the latest 180 records, which fit into an item', async () => {
  const { ownerId } = await issueTo('Acme', stage);
  const changes = { name: { from: '日'.repeat(200), to: '本'.repeat(200) } };
  const old = Array.from({ length: 180 }, (_, at) => [
    at + 1,
    { at, by: '日'.repeat(128), command: 'owners rename', changes },
  ]);
  const Item = { ownerId: `history#${ownerId}`, ...Object.fromEntries(old) };
  const { details } = await findOwner(ownerId, stage);
  for (const each of [Item, { ...details, revision: 180 }]) {
    await stage.documents.send(new PutCommand({ TableName: stage.ownersTable, Item: each }));
  }

  await owners('suspend Acme');

  const history = await readHistory(ownerId, stage);
  expect(history.map(({ at }) => at)).toEqual([
    ...Array.from({ length: 179 }, (_, index) => index + 1),
    '2026-11-20T09:30:15.500Z',
  ]);
});
