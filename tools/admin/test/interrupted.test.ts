import { inspect, isDeepStrictEqual } from 'node:util';
import { expect, it } from '@jest/globals';
import { gatewayKeyValue } from '../../../lambdas/keys/owner-record.ts';
import { type PlanName, plans } from '../../../lib/settings/plans.ts';
import { timeAhead } from '../console/option-values.ts';
import { reportFailure } from '../failure-report.ts';
import { expire } from '../keys/expire.ts';
import { issueKey } from '../keys/issue.ts';
import { keyView } from '../keys/key-view.ts';
import { revokeKey } from '../keys/revoke.ts';
import { rotate } from '../keys/rotate.ts';
import { unban } from '../keys/unban.ts';
import { createOwner } from '../owners/create.ts';
import { deletion } from '../owners/delete.ts';
import { rename } from '../owners/rename.ts';
import { repairOwners } from '../owners/repair.ts';
import { resetUsage } from '../owners/reset-usage.ts';
import { setPlan } from '../owners/set-plan.ts';
import { suspend } from '../owners/suspend.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { ownerOfGatewayKey } from '../store/gateway-keys.ts';
import type { HistoryRecord } from '../store/history.ts';
import { findKey, keysOf } from '../store/keys.ts';
import { findOwner } from '../store/owners.ts';
import type { StoredOwner } from '../store/stored-owner.ts';
import {
  interleaved,
  issueTo,
  mishaps,
  nowMs,
  nowSeconds,
  run,
  stageOfEachTest,
  stageWithMishap,
} from './stage-of-keys.ts';

const fixture = stageOfEachTest();
let keyId: string;
let ownerId: string;

/** A command that changes something, and the state after it has completed. */
interface Command {
  readonly name: string;
  readonly plan?: PlanName;
  readonly prepare?: () => Promise<unknown>;
  readonly run: (stage: KeyStage) => Promise<unknown>;
  readonly expected: Partial<Looked['state']>;
}

/** Reads everything that is stored. */
async function look() {
  const items = await fixture.readAll('Owners');
  const entries = await fixture.readAll('ApiKeys');
  const owners = items
    .filter(({ seed }) => seed)
    .map((details) => {
      const item = entries.find(({ ownerHash }) => ownerHash === details.ownerHash);
      return { details, item } as unknown as StoredOwner;
    });
  const histories = items.filter((each) => String(each.ownerId).startsWith('history#'));
  const records = histories.flatMap(({ ownerId: _, ...each }) => Object.values(each));
  const { item } = owners.find(({ details }) => details.ownerId === ownerId) ?? {};
  const allKeys = owners.flatMap(keysOf).map((key) => keyView(key, nowMs, plans));
  const keys = allKeys.filter((key) => key.ownerId === ownerId && key.status === 'active');
  const old = keys.find((key) => key.keyId === keyId);
  const reservations = items.filter(({ owner }) => owner);
  const state = {
    names: owners.map(({ details }) => details.name).sort(),
    isFoundAsAcme: reservations.some((each) => each.ownerId === 'name#acme'),
    plan: item?.plan,
    dayCount: item?.dayCount,
    statuses: allKeys.map(({ status }) => status).sort(),
    isReplaced: old?.expiresAt !== null && keys.some((key) => key.expiresAt === null),
    expiresAt: old?.expiresAt,
    activeKeys: keys.length,
    entries: Object.keys(item?.keys ?? {}).length,
    gatewayKeys: fixture.gatewayKeys().size,
    stored: entries.length,
    reserved: reservations.length,
  };
  return { owners, entries, reservations, state, records: records as HistoryRecord[] };
}

type Looked = Awaited<ReturnType<typeof look>>;

const commands: Command[] = [
  {
    name: 'owners create',
    run: (stage) => createOwner({ name: 'New', plan: 'pro' }, stage),
    expected: { names: ['Acme', 'New'] },
  },
  {
    name: 'keys issue',
    run: (stage) => issueKey({ owner: 'Acme' }, stage),
    expected: { activeKeys: 2 },
  },
  {
    name: 'keys rotate',
    run: (stage) => rotateKey(keyId, '60s', stage),
    expected: { isReplaced: true },
  },
  {
    name: 'keys rotate without a grace period',
    run: (stage) => rotateKey(keyId, '0s', stage),
    expected: { isReplaced: true, activeKeys: 1 },
  },
  {
    name: 'keys expire',
    run: (stage) => run(expire, [keyId, '1h'], stage),
    expected: { expiresAt: '2026-11-20T10:30:15Z' },
  },
  {
    name: 'keys revoke',
    run: (stage) => revokeKey(keyId, stage),
    expected: { statuses: ['revoked'] },
  },
  {
    name: 'keys unban',
    prepare: async () => {
      const { tokenHash } = await findKey(keyId, fixture.stage);
      await fixture.set(ownerId, { bannedUntil: nowSeconds + 60 }, tokenHash);
    },
    run: (stage) => run(unban, [keyId], stage),
    expected: { statuses: ['active'] },
  },
  {
    name: 'keys issue after an interrupted creation',
    prepare: async () => {
      await run(deletion, [ownerId], fixture.stage);
      const { stage } = stageWithMishap('not done', fixture.stage, 1);
      await createOwner({ name: 'Acme', plan: 'pro' }, stage).catch(() => {});
      ({ ownerId } = (await findOwner('Acme', fixture.stage)).details);
    },
    run: (stage) => issueKey({ owner: 'Acme' }, stage),
    expected: { activeKeys: 1, gatewayKeys: 1 },
  },
  {
    name: 'keys issue that lets an expired key leave',
    prepare: async () => {
      const { tokenHash } = await findKey(keyId, fixture.stage);
      await fixture.set(ownerId, { expiresAt: nowSeconds - 1 }, tokenHash);
    },
    run: (stage) => issueKey({ owner: 'Acme' }, stage),
    expected: { activeKeys: 1, entries: 1 },
  },
  {
    name: 'owners set-plan to a larger plan',
    run: (stage) => run(setPlan, ['Acme', 'business'], stage),
    expected: { plan: 'business', gatewayKeys: 2 },
  },
  {
    name: 'owners set-plan to a smaller plan',
    plan: 'business',
    run: (stage) => run(setPlan, ['Acme', 'free'], stage),
    expected: { plan: 'free', gatewayKeys: 2 },
  },
  {
    name: 'owners rename',
    run: (stage) => run(rename, [ownerId, 'Initech'], stage),
    expected: { names: ['Initech'], isFoundAsAcme: false },
  },
  {
    name: 'owners delete',
    run: (stage) => run(deletion, [ownerId], stage),
    expected: { names: [], statuses: [], gatewayKeys: 0, stored: 0, reserved: 0 },
  },
  {
    name: 'owners suspend',
    run: (stage) => run(suspend, ['Acme'], stage),
    expected: { statuses: ['suspended'] },
  },
  {
    name: 'owners reset-usage',
    prepare: () => fixture.set(ownerId, { dayWindow: nowSeconds, dayCount: 9 }),
    run: (stage) => run(resetUsage, ['Acme'], stage),
    expected: { dayCount: 0 },
  },
];

const everyMishap = commands.flatMap((command) =>
  mishaps.map((mishap) => ({ name: command.name, command, mishap })),
);

it.each(everyMishap)(
  '$name, when one of its changes is $mishap, refuses no request, leaves every key listed, and completes when it is run again',
  async ({ command, mishap }) => {
    const restore = await startStage(command);
    const before = await look();
    let changes = 0;
    for (let hasHappened = true; hasHappened; changes++) {
      await restore();
      const faulty = stageWithMishap(mishap, fixture.stage, changes);

      const error = await command.run(faulty.stage).then(
        () => undefined,
        (thrown: Error) => thrown,
      );

      ({ hasHappened } = faulty.state);
      try {
        expect([faulty.state.callsAfter, error !== undefined]).toEqual([0, hasHappened]);
        const after = await look();
        expectNothingUnknown(after);
        // There is a record if, and only if, something has changed.
        const isChanged = !isDeepStrictEqual(after.owners, before.owners);
        const known = new Set(before.records.map(textOf));
        const isRecorded = after.records.some((record) => !known.has(textOf(record)));
        expect(isRecorded).toBe(isChanged);
        if (error) await repair(error, command);
        const completed = await look();
        expect(completed.state).toMatchObject(command.expected);
        expectRecords(completed, command, before.records.length);
        expectNothingUnknown(completed);
      } catch (cause) {
        throw new Error(`its change ${changes + 1} was ${mishap}: ${cause}`, { cause });
      }
    }

    expect(changes).toBeGreaterThan(1);
  },
);

const renaming = (stage: KeyStage) => run(rename, [ownerId, 'Hooli'], stage);
const move = (stage: KeyStage) => run(setPlan, [ownerId, 'pro'], stage);
const remove = (stage: KeyStage) => run(deletion, [ownerId], stage);

it.each<[string, string, Command['run']]>([
  [
    'owners create',
    'another of the same name',
    (stage) => createOwner({ name: 'New', plan: 'free' }, stage),
  ],
  ['owners set-plan to a larger plan', 'another plan', move],
  ['owners set-plan to a smaller plan', 'another plan', move],
  ['owners set-plan to a larger plan', 'owners delete', remove],
  ['owners rename', 'another name', renaming],
  ['owners delete', 'owners delete', remove],
  ['owners delete', 'another name', renaming],
  [
    'owners delete',
    'owners create of the same name',
    (stage) => createOwner({ name: 'Acme', plan: 'pro' }, stage),
  ],
  ['keys issue after an interrupted creation', 'owners delete', remove],
  ['owners suspend', 'keys issue', (stage) => issueKey({ owner: 'Acme' }, stage)],
  ['keys rotate', 'another rotation', (stage) => rotateKey(keyId, '60s', stage)],
])(
  '%s refuses no request and leaves everything known if a second operator makes a change (%s) before any of its calls',
  async (name, _, second) => {
    const first = commands.find((command) => command.name === name)!;
    const restore = await startStage(first);
    const { records } = await look();
    await interleaved(fixture.stage, async (between, calls) => {
      await restore();
      let done = 0;
      const attempt = (run: Command['run'], stage: KeyStage) =>
        run(stage).then(
          () => done++,
          (error: Error) =>
            expect(error.message).toMatch(
              /at the same time|(no|already an) owner|already replaced/,
            ),
        );

      await attempt(
        first.run,
        between(async () => {
          expectNobodyRefused(await look());
          await attempt(second, fixture.stage);
        }),
      ).catch((cause) => {
        throw new Error(`before its call ${calls + 1}: ${cause}`, { cause });
      });

      const after = await look();
      // A deletion removes all other records.
      if (second !== remove && name !== 'owners delete') {
        expect(after.records.length).toBeGreaterThanOrEqual(records.length + done);
      }
      expectNobodyRefused(after);
      expectOneOfEach(after);
      await expectNoGatewayKeyLeft(after);
    });
  },
);

/** Creates an owner with a key. @returns a function that restores them */
async function startStage({ plan = 'free', prepare }: Command): Promise<() => Promise<void>> {
  ({ keyId, ownerId } = await issueTo({ owner: 'Acme', plan }, fixture.stage));
  await prepare?.();
  return fixture.save();
}

/** Does what the message says: ends a new key that nobody has received, or replaces it, and runs the command again. */
async function repair(error: Error, command: Command): Promise<void> {
  const { exitCode, remedy } = reportFailure(error, { stage: 'prod' });
  expect([exitCode, remedy]).toEqual([3, expect.stringContaining('run')]);
  const [, verb, newKey = ''] = /run "\.\/admin keys (revoke|rotate) (key_\w+)/.exec(remedy!) ?? [];
  if (verb === 'revoke') await revokeKey(newKey, fixture.stage).catch(isNothingLeft);
  if (verb === 'rotate' && (await rotateKey(newKey, '0s', fixture.stage).catch(isNothingLeft)))
    return;
  await command.run(fixture.stage).catch(isDoneAlready);
}

function isNothingLeft(error: Error): void {
  expect(error.message).toContain('No key has the id');
}

/** Expects the error that follows if the last change was done, but its response was lost. */
function isDoneAlready(error: Error): void {
  expect(error.message).toMatch(/There is already an owner "New"|There is no owner "own_\w+"/);
}

const rotateKey = (id: string, grace: string, stage: KeyStage) =>
  run(rotate, [id], stage, { grace: timeAhead(grace) });

const textOf = (record: HistoryRecord) => inspect(record, { sorted: true, depth: 9 });

/** Each change is recorded once, with the name of its command. */
function expectRecords({ records }: Looked, { name }: Command, earlier: number): void {
  const commandName = name.split(' ').slice(0, 2).join(' ');
  const own = records.filter(({ command }) => command === commandName);
  expect(records.length).toBeGreaterThan(commandName === 'owners delete' ? 0 : earlier);
  expect(own).not.toEqual([]);
  for (const each of own) expect(each).toMatchObject({ by: 'user/ann', at: expect.any(String) });
  if (commandName === 'owners reset-usage' || commandName === 'owners delete') return;
  expect(new Set(own.map(textOf)).size).toBe(own.length);
}

/** Every item is that of an owner. Every key that works is listed with its details, and every other one with its end. */
function expectNothingUnknown(looked: Looked): void {
  const { owners, entries } = looked;
  const hashes = owners.map(({ details }) => details.ownerHash);
  expect(hashes).toEqual(expect.arrayContaining(entries.map(({ ownerHash }) => ownerHash)));
  for (const key of owners.flatMap(keysOf)) {
    expect(key.details).toMatchObject({ tokenHash: key.tokenHash });
    const { revokedAt, expiresAt } = key.details!;
    expect(key.entry === undefined).toBe((revokedAt ?? expiresAt) !== undefined);
  }
  expectNobodyRefused(looked);
}

/** API Gateway knows each owner with a key by the plan with which the authorizer counts, so no request gets 503. */
function expectNobodyRefused({ owners }: Looked): void {
  for (const { details, item } of owners.filter(
    ({ item: { keys } }) => Object.keys(keys).length > 0,
  )) {
    const { plan } = item;
    const usagePlanId = fixture.gatewayKeys().get(gatewayKeyValue(details.ownerId, plan));
    expect(usagePlanId).toBe(`plan-${plan}`);
  }
}

/** Each owner has one name, by which it is found. Each key has one replacement. */
function expectOneOfEach({ owners, entries, reservations }: Looked): void {
  const names = owners.map(({ details: { ownerId: owner, name } }) => {
    return { ownerId: `name#${name.toLowerCase()}`, owner };
  });
  const byName = (one: { ownerId?: unknown }, other: { ownerId?: unknown }) =>
    String(one.ownerId) < String(other.ownerId) ? -1 : 1;
  expect(reservations.toSorted(byName)).toEqual(names.toSorted(byName));
  expect(entries.length).toBe(owners.length);
  for (const owner of owners) {
    const replacements = keysOf(owner).filter(({ details, entry }) => entry && details?.replaces);
    expect(replacements.length).toBeLessThanOrEqual(1);
  }
}

/** A repair leaves only gateway keys of owners. */
async function expectNoGatewayKeyLeft({ owners }: Looked): Promise<void> {
  if (owners.length === 0) return;
  await repairOwners(fixture.stage);
  const ids = owners.map(({ details }) => details.ownerId);
  const left = [...fixture.gatewayKeys().keys()].map(ownerOfGatewayKey);
  expect(ids).toEqual(expect.arrayContaining(left));
}
