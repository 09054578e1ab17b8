import { describe, expect, it, jest } from '@jest/globals';
import { hashOwnerPart, hashToken } from '../../../../lambdas/domain/api-key.ts';
import { plans } from '../../../../lib/settings/plans.ts';
import { recordText } from '../../console/view.ts';
import { revokeKey } from '../../keys/change-key.ts';
import { issueKey } from '../../keys/issue-key.ts';
import { deleteOwner, renameOwner } from '../../owners/change-owner.ts';
import { createOwner, type NewOwner } from '../../owners/create-owner.ts';
import { deleteGatewayKey, findGatewayKeys, putGatewayKey } from '../../owners/gateway-key.ts';
import { type OwnerLimits, reviewPlans } from '../../owners/owner-limits.ts';
import { lastDays, ownersUsage } from '../../owners/owner-usage.ts';
import { ownerFields, ownerView } from '../../owners/owner-view.ts';
import { setLimits, setOwnerPlan } from '../../owners/set-owner-plan.ts';
import type { KeyGateway } from '../../stage/api-gateway-keys.ts';
import type { KeyStage } from '../../stage/key-stage.ts';
import { allOwners, findOwner, lookUpOwner } from '../../stored/find-owner.ts';
import { createToken } from '../../stored/identities.ts';
import type { AgreedLimits } from '../../stored/stored-owner.ts';
import {
  interleaved,
  interposed,
  isTransaction,
  minute,
  nowMs,
  nowSeconds,
  stageOfEachTest,
  stageWithMishap,
} from '../stage-of-keys.ts';

const { free, pro } = plans;
const limitsOf = ({ perMinute, perDay }: OwnerLimits) => ({ perMinute, perDay });

const fixture = stageOfEachTest();
const { stage, gatewayKeys, readAll } = fixture;

const create = (request: Partial<NewOwner> = {}, at: KeyStage = stage) =>
  createOwner({ name: 'Acme', plan: 'free', ...request }, at);
const usagePlans = () => [...gatewayKeys().values()];
const usagePlanOf = async (name: string) => {
  const owner = (await readAll('Owners')).find((each) => each.name === name)!;
  return gatewayKeys().get(String(owner.ownerId));
};
/** All but histories. */
const everything = async () => [await readAll('ApiKeys'), await ownersItems(), usagePlans()];
const ownersItems = async () =>
  (await readAll('Owners')).filter(({ ownerId }) => !String(ownerId).startsWith('history#'));
/** A stage on which API Gateway throttles the first such call. */
const throttling = (throttled: keyof KeyGateway) =>
  interposed(
    stage,
    (call) => call === throttled,
    () => Promise.reject(new Error(`${throttled}: Too Many Requests`)),
  );
/** One of two moves may be refused, and for this reason only. */
const refused = (error: Error) =>
  expect(error.message).toContain('was changed by somebody else meanwhile');

describe('allOwners', () => {
  it('does not transfer histories', async () => {
    await create();
    const sent = jest.spyOn(stage.documents, 'send');

    await allOwners(stage);

    expect(await sent.mock.results[0]!.value).toMatchObject({ Items: [{ name: 'Acme' }] });
  });
});

describe('createOwner', () => {
  it('stores the secret and the details in another table than the authorizer reads', async () => {
    const { details, item } = await create({ name: ' Acme Ltd ' });

    expect(details).toEqual({
      ownerId: expect.stringMatching(/^own_[0-9A-Za-z]{20}$/),
      name: 'Acme Ltd',
      createdAt: '2026-11-20T09:30:15.500Z',
      seed: expect.stringMatching(/^[\w-]{43}$/),
      ownerHash: hashOwnerPart(createToken('so_test_', details.seed)),
      agreed: { plan: 'free' },
      keys: {},
    });
    expect(item).toMatchObject({ plan: 'free', status: 'active', ...limitsOf(free) });
    expect(JSON.stringify(await readAll('ApiKeys'))).not.toContain(details.seed);
  });

  // The last one has a decomposed letter.
  it.each(['Café', 'CAFÉ', '  café ', 'Cafe\u0301'])(
    'refuses a name that is taken: %j',
    async (name) => {
      const { details } = await create({ name: 'Café' });

      await expect(create({ name, plan: 'pro' })).rejects.toThrow(
        `There is already an owner "Café", ${details.ownerId}, on the free plan`,
      );
      expect(await allOwners(stage)).toHaveLength(1);
      expect(usagePlans()).toEqual(['plan-free']);
    },
  );

  it.each([
    ['so_live_abc', 'this looks like an API key'],
    ['Acme so_test_abc', 'this looks like an API key'],
    ['SO_LIVE_', 'this looks like an API key'],
    [`own_${'a'.repeat(20)}`, 'does not have the form of an owner id'],
    ['two\nlines', 'without control characters'],
    ['right\u202eleft', 'without control characters'],
    ['\ud800', 'without control characters'],
  ])('refuses the name %j', async (name, message) => {
    const error: Error = await create({ name }).catch((thrown) => thrown);

    expect(error.message).toContain(message);
    if (/so_/i.test(name)) expect(error.message).not.toContain(name);
    expect(await everything()).toEqual([[], [], []]);
  });

  it.each(['Also_ran Ltd', 'Ço', 'so what'])('takes the name %j', async (name) => {
    expect((await create({ name })).details.name).toBe(name);
  });

  it('stores the limits of one command, wherever another creation interrupts it', () =>
    interleaved(stage, async (between, calls) => {
      const name = `Acme ${calls}`;
      const taken = (error: Error) => expect(error.message).toContain('There is already an owner');
      let created = 0;
      const count = () => created++;
      const other = () => create({ name, plan: 'pro', perDay: 5 }).then(count, taken);

      await create({ name, perMinute: 7 }, between(other)).then(count, taken);

      expect([calls, created]).toEqual([calls, 1]);
      const { details, item } = await findOwner(name, stage);
      const agreed = item!.plan === 'pro' ? { perDay: 5 } : { perMinute: 7 };
      expect([calls, details.agreed]).toEqual([calls, { plan: item!.plan, ...agreed }]);
    }));

  it('uses the usage plan of the limits, wherever a creation is killed that has moved the gateway key', () =>
    interleaved(stage, async (between, calls) => {
      const name = `Acme ${calls}`;
      const killed = async () => {
        const owner = await lookUpOwner(name, stage);
        if (owner && !owner.item) await putGatewayKey(owner.details.ownerId, 'pro', stage);
      };

      await create({ name }, between(killed));

      expect([calls, await usagePlanOf(name)]).toEqual([calls, 'plan-free']);
    }));
});

describe('setOwnerPlan', () => {
  it('moves an owner whose plan no longer exists, as its view says', async () => {
    const { details } = await create({ plan: 'pro' });
    await fixture.set(details.ownerId, { plan: 'gold' });
    const text = recordText(ownerFields, ownerView(await fixture.owner(details.ownerId), nowMs));
    expect(text).toMatch(/^plan +gold, which no longer exists: "\.\/admin owners set-plan" moves/m);

    const owner = await setOwnerPlan('Acme', { plan: 'free' }, stage);

    expect(owner.item).toMatchObject({ plan: 'free', perMinute: free.perMinute });
    expect(usagePlans()).toEqual(['plan-free']);
  });

  it.each<AgreedLimits>([
    { plan: 'free' },
    { plan: 'free', perDay: 50 },
    { plan: 'enterprise', perMinute: 500, perDay: 20_000 },
  ])("gives an owner the agreed limits, otherwise the plan's: %j", async (agreed) => {
    await create({ plan: 'free', perMinute: 5 });

    const { details, item } = await setOwnerPlan('Acme', agreed, stage);

    expect(details.agreed).toEqual(agreed);
    expect(item).toMatchObject({ ...limitsOf(plans[agreed.plan]), ...agreed });
  });

  it('prints after a failure how to undo the change', async () => {
    const { details } = await create({ perMinute: 5 });
    const throttled = throttling('createUsagePlanKey');

    await expect(setOwnerPlan('Acme', { plan: 'pro' }, throttled)).rejects.toThrow(
      `may get 503 ("./admin owners set-plan ${details.ownerId} free --per-minute 5" undoes it)`,
    );
  });

  it('leaves the limit of the enterprise plan that the request does not name as it is', async () => {
    await create({ plan: 'pro' });
    const set = async (limits: Partial<OwnerLimits>) =>
      (await setOwnerPlan('Acme', { plan: 'enterprise', ...limits }, stage)).details.agreed;
    const { perDay } = plans.pro;

    expect(await set({ perMinute: 600 })).toEqual({ plan: 'enterprise', perMinute: 600, perDay });
    expect(await set({ perDay: 7 })).toEqual({ plan: 'enterprise', perMinute: 600, perDay: 7 });
    expect(await set({})).toEqual({ plan: 'enterprise', perMinute: 600, perDay: 7 });
  });

  it('says whether an API Gateway key was missing', async () => {
    const { details } = await create();
    await deleteGatewayKey(details.ownerId, stage);

    expect(await setOwnerPlan('Acme', { plan: 'free' }, stage)).toMatchObject({
      wasRepaired: true,
    });
    expect(await setOwnerPlan('Acme', { plan: 'free' }, stage)).toMatchObject({
      wasRepaired: false,
    });
    expect(usagePlans()).toEqual(['plan-free']);
  });

  it('requires limits for the enterprise plan, and changes nothing without them', async () => {
    await create();
    const before = await everything();

    await expect(setOwnerPlan('Acme', { plan: 'enterprise' }, stage)).rejects.toThrow(
      '--per-minute: missing',
    );
    expect(await everything()).toEqual(before);
  });

  it('fails if somebody else moves the owner before its change of the tables', async () => {
    await create();
    const other = () => setOwnerPlan('Acme', { plan: 'business' }, stage);
    const meanwhile = interposed(stage, isTransaction, other);

    await expect(setOwnerPlan('Acme', { plan: 'pro' }, meanwhile)).rejects.toThrow(
      'was changed by somebody else meanwhile: it is business, 1,000 per minute, 100,000 per day; run',
    );
    expect((await findOwner('Acme', stage)).details.agreed).toEqual({ plan: 'business' });
  });

  it.each([
    ['pro', 'free', 'business'],
    ['free', 'pro', 'business'],
  ] as const)(
    'stores the same plan everywhere, from %s to %s, wherever a move to %s interrupts it',
    (from, to, other) =>
      interleaved(stage, async (between, calls) => {
        const name = `Acme ${calls}`;
        await create({ name, plan: from });
        const move = () => setOwnerPlan(name, { plan: other }, stage).catch(refused);

        const moved = await setOwnerPlan(name, { plan: to }, between(move)).catch(refused);

        expect(moved?.item.plan ?? to).toBe(to);
        const { details, item } = await findOwner(name, stage);
        expect([calls, await usagePlanOf(name)]).toEqual([calls, `plan-${item!.plan}`]);
        expect([calls, details.agreed.plan]).toEqual([calls, item!.plan]);
      }),
  );
});

describe('renameOwner', () => {
  it('accepts a name that differs only in case', async () => {
    await create();

    await renameOwner('Acme', 'ACME', stage);

    expect((await findOwner('acme', stage)).details.name).toBe('ACME');
  });

  it('says that there is no such owner', () =>
    expect(renameOwner('Nobody', 'Hooli', stage)).rejects.toThrow('"./admin owners list" shows'));

  it('refuses the name of another owner', async () => {
    await create();
    await create({ name: 'Initech' });

    await expect(renameOwner('Acme', 'initech', stage)).rejects.toThrow(
      'Another owner has the name "initech"',
    );
    expect((await findOwner('Acme', stage)).details.name).toBe('Acme');
  });

  it('leaves exactly one reserved name, wherever another renaming interrupts it', () =>
    interleaved(stage, async (between, calls) => {
      const { ownerId } = (await create({ name: `Acme ${calls}` })).details;
      const other = () => renameOwner(ownerId, `Initech ${calls}`, stage);

      await renameOwner(ownerId, `Hooli ${calls}`, between(other)).catch(refused);

      const { name } = (await fixture.owner(ownerId)).details;
      const found = await Promise.all(
        ['Acme', 'Hooli', 'Initech'].map((each) => lookUpOwner(`${each} ${calls}`, stage)),
      );
      expect(found.map((owner) => owner?.details.name).filter(Boolean)).toEqual([name]);
    }));
});

describe('deleteOwner', () => {
  it('removes everything of the owner, and nothing of others', async () => {
    const other = await create({ name: 'Initech' });
    await issueKey({ owner: 'Initech' }, stage);
    const before = await everything();
    await create();
    await issueKey({ owner: 'Acme' }, stage);

    await deleteOwner('acme', stage);

    expect(await everything()).toEqual(before);
    expect((await allOwners(stage)).map(({ details }) => details.ownerId)).toEqual([
      other.details.ownerId,
    ]);
    expect((await create({ plan: 'pro' })).item!.keys).toEqual({});
  });

  it.each([
    ['a creation of the same name comes between it', 0],
    ['it comes between a creation', 1],
    ['it comes between a move to another plan', 2],
    ['it comes between another deletion', 3],
  ])('leaves only items of listed owners, wherever %s', (_, order) =>
    interleaved(stage, async (between, calls) => {
      const name = `Acme ${calls}`;
      await create({ name });
      if (order < 2) {
        await deleteOwner(name, stageWithMishap('followed by a kill', stage, 0).stage).catch(
          () => {},
        );
      }
      const again = (error: Error) =>
        expect(error.message).toMatch(/meanwhile|no owner|already an owner|incomplete/);
      const commands = [
        (at: KeyStage) => deleteOwner(name, at).catch(again),
        (at: KeyStage) => create({ name, plan: 'pro' }, at).catch(again),
        (at: KeyStage) => setOwnerPlan(name, { plan: 'pro' }, at).catch(again),
        (at: KeyStage) => deleteOwner(name, at).catch(again),
      ];

      await commands[order]!(between(() => commands[order === 0 ? 1 : 0]!(stage)));

      const owners = await allOwners(stage);
      for (const { details } of owners) {
        expect([calls, (await lookUpOwner(name, stage))?.details]).toEqual([calls, details]);
        expect([...gatewayKeys().keys()]).toEqual([details.ownerId]);
      }
      const ids = owners.map(({ details }) => details.ownerId);
      const orphans = [...(await readAll('ApiKeys')), ...(await ownersItems())].filter(
        ({ ownerId, owner }) => !ids.includes(String(owner ?? ownerId)),
      );
      expect([calls, orphans]).toEqual([calls, []]);
      expect(ids).toEqual(expect.arrayContaining([...gatewayKeys().keys()]));
      for (const each of ids) await deleteOwner(each, stage);
    }),
  );
});

describe('ownerView', () => {
  it('shows the usage and the banned keys', async () => {
    const { details } = await create();
    const [banned, ...others] = await Promise.all(
      [0, 1, 2].map(() => issueKey({ owner: 'Acme' }, stage)),
    );
    const { perMinute, perDay } = free;
    await fixture.set(details.ownerId, { minuteWindow: minute, minuteCount: 12 });
    const bannedUntil = nowSeconds + 30;
    for (const [key, state] of [
      [banned, { bannedUntil }],
      [others[0], { bannedUntil, expiresAt: nowSeconds }],
      [others[1], { bannedUntil: nowSeconds }],
    ] as const) {
      await fixture.set(details.ownerId, state, hashToken(key!.apiKey));
    }

    expect(ownerView(await fixture.owner(details.ownerId), nowMs)).toEqual({
      ownerId: details.ownerId,
      name: 'Acme',
      plan: 'free',
      status: 'active',
      perMinute,
      perDay,
      keys: 3,
      bans: [{ keyId: banned!.keyId, bannedUntil: '2026-11-20T09:30:45Z' }],
      createdAt: '2026-11-20T09:30:15.500Z',
      lastUsedAt: null,
      usage: {
        minute: {
          limit: perMinute,
          used: 12,
          remaining: perMinute - 12,
          resetsAt: '2026-11-20T09:31:00Z',
        },
        day: { limit: perDay, used: 0, remaining: perDay, resetsAt: '2026-11-21T00:00:00Z' },
      },
    });
  });

  it('shows the last use of any key, including revoked ones', async () => {
    const { details } = await create();
    const [old, present] = await Promise.all([1, 2].map(() => issueKey({ owner: 'Acme' }, stage)));
    const used = (key: typeof old, usedAt: number) =>
      fixture.set(details.ownerId, { usedAt }, hashToken(key!.apiKey));
    const lastUse = async () => ownerView(await fixture.owner(details.ownerId), nowMs).lastUsedAt;
    await used(present, minute - 120);
    await used(old, minute - 60);

    expect(await lastUse()).toBe('2026-11-20T09:29:00Z');
    await revokeKey(old!.keyId, stage);
    expect(await lastUse()).toBe('2026-11-20T09:29:00Z');
  });
});

const log = (...used: number[]) => used.map((requests) => [requests, 1_000 - requests]);

it('ownersUsage adds the requests in each usage plan, by the id of a gateway key or its value', async () => {
  const { ownerId } = (await create()).details;
  const { ownerId: busy } = (await create({ name: 'Busy' })).details;
  const { ownerId: idle } = (await create({ name: 'Idle' })).details;
  const [[keyId] = []] = await findGatewayKeys(stage, ownerId);
  const usage: Record<string, Record<string, number[][]>> = {
    'plan-free': { [keyId!]: log(0, 2, 3), [busy]: log(0, 0, 90) },
    'plan-pro': { [ownerId]: log(1, 0, 4), other: log(7, 7, 7) },
  };
  const getUsage: KeyGateway['getUsage'] = async ({ usagePlanId }) => usage[usagePlanId] ?? {};
  const metered = { ...stage, gateway: { ...stage.gateway, getUsage } };
  const days = lastDays(3, nowMs);

  const used = (...counts: number[]) =>
    counts.map((requests, index) => ({ day: `2026-11-${18 + index}`, requests }));
  const acme = { ownerId, name: 'Acme', plan: 'free', requests: 10, days: used(1, 2, 7) };
  expect(await ownersUsage(undefined, days, metered)).toEqual([
    { ownerId: busy, name: 'Busy', plan: 'free', requests: 90, days: used(0, 0, 90) },
    acme,
    { ownerId: idle, name: 'Idle', plan: 'free', requests: 0, days: used(0, 0, 0) },
  ]);
  expect(await ownersUsage('Acme', days, metered)).toEqual([acme]);
});

describe('reviewPlans', () => {
  const own = { perMinute: 5, perDay: 50 };

  it.each<[string, Partial<NewOwner>, OwnerLimits, OwnerLimits[]]>([
    ['a larger number', { plan: 'free' }, { perMinute: 30, perDay: 500 }, [limitsOf(free)]],
    ['a smaller number', { plan: 'pro' }, { ...limitsOf(pro), perMinute: 600 }, [limitsOf(pro)]],
    [
      'the number of the limit that was not agreed',
      { plan: 'free', perMinute: 5 },
      own,
      [{ perMinute: 5, perDay: free.perDay }],
    ],
    ['nothing if its limits are current', { plan: 'enterprise', ...own }, own, []],
  ])('brings an owner %s', async (_, request, then, expected) => {
    const { details } = await create(request);
    await fixture.set(details.ownerId, { ...then });

    const { outdated } = reviewPlans(await allOwners(stage));

    expect(outdated.map(({ limits }) => limits)).toEqual(expected);
    for (const { owner, limits } of outdated) {
      await setLimits(owner, owner.details.agreed, limits, 'owners apply-plans', stage);
    }
    expect(reviewPlans(await allOwners(stage))).toMatchObject({ outdated: [], unclear: [] });
  });

  it('reduces an agreed limit to that of the plan', async () => {
    const { details, item } = await create({ plan: 'pro' });
    const perDay = pro.perDay + 1;
    const agreed = { plan: 'pro', perDay } as const;

    const { outdated } = reviewPlans([
      { details: { ...details, agreed }, item: { ...item!, perDay } },
    ]);

    expect(outdated.map(({ limits }) => limits)).toEqual([limitsOf(pro)]);
  });

  it('skips and names an owner that is incomplete, whose tables disagree, or whose plan no longer exists', async () => {
    await create({ name: 'Incomplete' }, throttling('createApiKey')).catch(() => {});
    const restored = await create({ name: 'Restored', plan: 'enterprise', ...own });
    const gone = await create({ name: 'Gone', plan: 'pro' });
    await fixture.set(restored.details.ownerId, { plan: 'pro' });
    await fixture.set(gone.details.ownerId, { plan: 'constructor' });

    const { outdated, unclear } = reviewPlans(await allOwners(stage));

    expect(outdated).toEqual([]);
    const names = unclear.map((owner) => owner.details.name).sort();
    expect(names).toEqual(['Gone', 'Incomplete', 'Restored']);
  });
});

it.each<[string, Partial<NewOwner>, string]>([
  [
    'more than its plan',
    { perMinute: free.perMinute + 1 },
    `from 1 to ${free.perMinute}, the maximum of the free plan; the pro plan allows it`,
  ],
  ['one of two agreed ones', { plan: 'enterprise', perMinute: 10 }, '--per-day: missing'],
])('the limits of an owner cannot be %s', async (_, request, message) => {
  await expect(create(request)).rejects.toThrow(message);
  expect(await readAll('Owners')).toEqual([]);
});
