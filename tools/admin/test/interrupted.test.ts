import { inspect, isDeepStrictEqual } from 'node:util';
import { expect, it } from '@jest/globals';
import { gatewayKeyValue } from '../../../lambdas/keys/owner-record.ts';
import type { PlanName } from '../../../lib/settings/plans.ts';
import { reportFailure } from '../failure-report.ts';
import { expireKey } from '../keys/expire.ts';
import { issueKey } from '../keys/issue.ts';
import { listKeys } from '../keys/list.ts';
import { revokeKey } from '../keys/revoke.ts';
import { rotateKey } from '../keys/rotate.ts';
import { unbanKey } from '../keys/unban.ts';
import { createOwner } from '../owners/create.ts';
import { deleteOwner } from '../owners/delete.ts';
import { renameOwner } from '../owners/rename.ts';
import { repairOwners } from '../owners/repair.ts';
import { resetOwnerUsage } from '../owners/reset-usage.ts';
import { setOwnerPlan } from '../owners/set-plan.ts';
import { setOwnerStatus } from '../owners/suspend.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { findGatewayKeys } from '../store/gateway-keys.ts';
import type { HistoryRecord } from '../store/history.ts';
import { findKey, keysOf } from '../store/keys.ts';
import { allOwners, lookUpOwner, readOwner } from '../store/owners.ts';
import type { StoredOwner } from '../store/stored-owner.ts';
import {
  interleaved,
  issueTo,
  type Mishap,
  mishaps,
  nowSeconds,
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
  readonly expected: Partial<Awaited<ReturnType<typeof presentState>>>;
}

async function presentState() {
  const { item } = (await readOwner(ownerId, fixture.stage)) ?? {};
  const owners = await allOwners(fixture.stage);
  const allKeys = await listKeys({}, fixture.stage);
  const keys = allKeys.filter((key) => key.ownerId === ownerId && key.status === 'active');
  const old = keys.find((key) => key.keyId === keyId);
  return {
    names: owners.map((owner) => owner.details.name).sort(),
    isFoundAsAcme: Boolean(await lookUpOwner('Acme', fixture.stage)),
    plan: item?.plan,
    usagePlan: item && fixture.gatewayKeys().get(gatewayKeyValue(ownerId, item.plan)),
    dayCount: item?.dayCount,
    statuses: allKeys.map(({ status }) => status).sort(),
    isReplaced: old?.expiresAt !== null && keys.some((key) => key.expiresAt === null),
    expiresAt: old?.expiresAt,
    activeKeys: keys.length,
    entries: Object.keys(item?.keys ?? {}).length,
    gatewayKeys: fixture.gatewayKeys().size,
    stored: (await fixture.readAll('ApiKeys')).length,
    reserved: (await fixture.readAll('Owners')).filter(({ owner }) => owner).length,
  };
}

const commands: Command[] = [
  {
    name: 'owners create',
    run: (stage) => createOwner({ name: 'New', plan: 'pro' }, stage),
    expected: { names: ['Acme', 'New'], gatewayKeys: 2 },
  },
  {
    name: 'keys issue',
    run: (stage) => issueKey({ owner: 'Acme' }, stage),
    expected: { activeKeys: 2 },
  },
  {
    name: 'keys rotate',
    run: (stage) => rotateOrItsReplacement(keyId, nowSeconds + 60, stage),
    expected: { isReplaced: true },
  },
  {
    name: 'keys rotate without a grace period',
    run: (stage) => rotateOrItsReplacement(keyId, nowSeconds, stage),
    expected: { isReplaced: true, activeKeys: 1 },
  },
  {
    name: 'keys expire',
    run: async (stage) => expireKey(await findKey(keyId, stage), nowSeconds + 3_600, stage),
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
    run: (stage) => unbanKey(keyId, stage),
    expected: { statuses: ['active'] },
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
    run: (stage) => setOwnerPlan('Acme', { plan: 'business' }, stage),
    expected: { plan: 'business', usagePlan: 'plan-business' },
  },
  {
    name: 'owners set-plan to a smaller plan',
    plan: 'business',
    run: (stage) => setOwnerPlan('Acme', { plan: 'free' }, stage),
    expected: { plan: 'free', usagePlan: 'plan-free' },
  },
  {
    name: 'owners rename',
    run: (stage) => renameOwner(ownerId, 'Initech', stage),
    expected: { names: ['Initech'], isFoundAsAcme: false },
  },
  {
    name: 'owners delete',
    run: (stage) => deleteOwner(ownerId, stage),
    expected: { names: [], statuses: [], gatewayKeys: 0, stored: 0, reserved: 0 },
  },
  {
    name: 'owners suspend',
    run: (stage) => setOwnerStatus('Acme', 'suspended', stage),
    expected: { statuses: ['suspended'] },
  },
  {
    name: 'owners reset-usage',
    prepare: () => fixture.set(ownerId, { dayWindow: nowSeconds, dayCount: 9 }),
    run: (stage) => resetOwnerUsage('Acme', stage),
    expected: { dayCount: 0 },
  },
];

const everyMishap = commands.flatMap((command) =>
  mishaps.map((mishap) => ({ name: command.name, command, mishap })),
);

it.each(everyMishap)(
  '$name, when one of its changes is $mishap, reports success only if it is done, leaves every key listed, and completes when it is run again',
  async ({ command, mishap }) => {
    let changes = 0;
    for (let hasHappened = true; hasHappened; changes++) {
      await startStage(command);
      const faulty = stageWithMishap(mishap, fixture.stage, changes);
      const before = await recordsAndState();

      const error = await command.run(faulty.stage).then(
        () => undefined,
        (thrown: Error) => thrown,
      );

      hasHappened = faulty.hasHappened();
      try {
        expectNobodyRefused(await expectNothingUnknown());
        const after = await recordsAndState();
        // There is a record if, and only if, something has changed.
        const isChanged = !isDeepStrictEqual(after.state, before.state);
        const known = new Set(before.records.map(textOf));
        const isRecorded = after.records.some((record) => !known.has(textOf(record)));
        expect(isRecorded).toBe(isChanged);
        if (error) await repair(error, mishap, command);
        expect(await presentState()).toMatchObject(command.expected);
        await expectRecords(command, before.records.length);
        expectNobodyRefused(await expectNothingUnknown());
      } catch (cause) {
        throw new Error(`its change ${changes + 1} was ${mishap}: ${cause}`, { cause });
      }
    }

    expect(changes).toBeGreaterThan(1);
  },
);

const completion: Command = {
  name: 'owners create after an interrupted deletion',
  prepare: () => {
    const { stage } = stageWithMishap('followed by a kill', fixture.stage, 0);
    return deleteOwner(ownerId, stage).catch(() => {});
  },
  run: (stage) => createOwner({ name: 'Acme', plan: 'pro' }, stage),
  expected: {},
};
const rename = (stage: KeyStage) => renameOwner(ownerId, 'Hooli', stage);
const setPlan = (stage: KeyStage) => setOwnerPlan(ownerId, { plan: 'pro' }, stage);
const remove = (stage: KeyStage) => deleteOwner(ownerId, stage);

it.each<[string, string, Command['run']]>([
  [
    'owners create',
    'another of the same name',
    (stage) => createOwner({ name: 'New', plan: 'free' }, stage),
  ],
  ['owners set-plan to a larger plan', 'another plan', setPlan],
  ['owners set-plan to a smaller plan', 'another plan', setPlan],
  ['owners set-plan to a larger plan', 'owners delete', remove],
  ['owners rename', 'another name', rename],
  ['owners delete', 'owners delete', remove],
  ['owners delete', 'owners create of the same name', completion.run],
  [completion.name, 'owners delete', remove],
  ['owners suspend', 'keys issue', (stage) => issueKey({ owner: 'Acme' }, stage)],
  ['keys rotate', 'another rotation', (stage) => rotateKey(keyId, nowSeconds + 60, stage)],
])(
  '%s, before each of whose calls a second operator makes a change (%s), leaves everything known and found',
  (name, _, second) =>
    interleaved(fixture.stage, async (between, calls) => {
      const first = [...commands, completion].find((command) => command.name === name)!;
      await startStage(first);
      const { records } = await recordsAndState();
      let done = 0;
      const attempt = (run: Command['run'], stage: KeyStage) =>
        run(stage).then(
          () => done++,
          (error: Error) =>
            expect(error.message).toMatch(
              /at the same time|(no|already an) owner|incomplete|already replaced/,
            ),
        );

      await attempt(
        first.run,
        between(() => attempt(second, fixture.stage)),
      ).catch((cause) => {
        throw new Error(`before its call ${calls + 1}: ${cause}`, { cause });
      });

      // A deletion removes all other records.
      if (second !== remove && name !== 'owners delete') {
        const after = await recordsAndState();
        expect(after.records.length).toBeGreaterThanOrEqual(records.length + done);
      }
      const owners = await expectOwnersKnown();
      expectNobodyRefused(owners);
      await expectOneOfEach(owners);
      await expectNoKeyLeft();
    }),
);

/** Each owner has one name, by which it is found, and the usage plan of its plan. Each key has one replacement. */
async function expectOneOfEach(owners: StoredOwner[]): Promise<void> {
  expect((await presentState()).reserved).toBe(owners.length);
  for (const owner of owners) {
    const { ownerId: id, name } = owner.details;
    expect((await lookUpOwner(name, fixture.stage))?.details.ownerId).toBe(id);
    const replacements = keysOf(owner).filter(({ details, entry }) => entry && details?.replaces);
    expect(replacements.length).toBeLessThanOrEqual(1);
  }
}

async function startStage({ plan = 'free', prepare }: Command) {
  await fixture.clear();
  ({ keyId, ownerId } = await issueTo({ owner: 'Acme', plan }, fixture.stage));
  await prepare?.();
}

/** Rotates a key, or its replacement if the error names one. */
async function rotateOrItsReplacement(
  id: string,
  graceEnd: number,
  stage: KeyStage,
): Promise<unknown> {
  try {
    return await rotateKey(id, graceEnd, stage);
  } catch (error) {
    const [, replacement] =
      /"\.\/admin keys rotate (key_\w+)" replaces the new key/.exec(String(error)) ?? [];
    if (!replacement) throw error;
    return rotateKey(replacement, nowSeconds, stage);
  }
}

/** All records of histories, and the recorded state: the complete owners with their keys. */
async function recordsAndState() {
  const owners = (await allOwners(fixture.stage)).filter(({ item }) => item);
  const items = await fixture.readAll('Owners');
  const histories = items.filter((item) => String(item.ownerId).startsWith('history#'));
  const records = histories.flatMap(({ ownerId: _, ...each }) => Object.values(each));
  return {
    records: records as HistoryRecord[],
    state: Object.fromEntries(owners.map((owner) => [owner.details.ownerId, owner])),
  };
}

const textOf = (record: HistoryRecord) => inspect(record, { sorted: true, depth: 9 });

/** Each change is recorded once, with the name of its command. */
async function expectRecords({ name }: Command, earlier: number): Promise<void> {
  const { records } = await recordsAndState();
  const commandName = name.split(' ').slice(0, 2).join(' ');
  const own = records.filter(({ command }) => command === commandName);
  expect(records.length).toBeGreaterThan(commandName === 'owners delete' ? 0 : earlier);
  expect(own).not.toEqual([]);
  for (const each of own) expect(each).toMatchObject({ by: 'user/ann', at: expect.any(String) });
  if (commandName === 'owners reset-usage' || commandName === 'owners delete') return;
  expect(new Set(own.map(textOf)).size).toBe(own.length);
}

/** Does what the message says, and runs the command again. */
async function repair(error: Error, mishap: Mishap, { run }: Command): Promise<void> {
  if (mishap !== 'followed by a kill') {
    const remedy = expect.stringContaining('run');
    expect(reportFailure(error, { stage: 'prod' })).toMatchObject({ exitCode: 3, remedy });
  }
  const [, leftBehind] =
    /run "\.\/admin keys revoke (key_\w+)", then this command again/.exec(error.message) ?? [];
  if (leftBehind) await revokeKey(leftBehind, fixture.stage).catch(isNothingLeft);
  await run(fixture.stage).catch(isDoneAlready);
}

function isNothingLeft(error: Error): void {
  expect(error.message).toContain('No key has the id');
}

/** Expects the error that follows if the last change was done, but its response was lost. */
function isDoneAlready(error: Error): void {
  expect(error.message).toMatch(/There is already an owner "New"|There is no owner "own_\w+"/);
}

/** Every key that works is listed with its details, and every other key with its end. */
async function expectNothingUnknown(): Promise<StoredOwner[]> {
  const owners = await expectOwnersKnown();
  for (const key of owners.flatMap(keysOf)) {
    expect(key.details).toMatchObject({ tokenHash: key.tokenHash });
    const { revokedAt, expiresAt } = key.details!;
    // A deletion begins with all entries of the owner.
    const isGone = (revokedAt ?? expiresAt) !== undefined || !key.owner.item;
    expect(key.entry === undefined).toBe(isGone);
  }
  return owners;
}

/** All items are those of the returned owners. */
async function expectOwnersKnown(): Promise<StoredOwner[]> {
  const owners = await allOwners(fixture.stage);
  const items = await fixture.readAll('ApiKeys');
  const hashes = owners.map(({ details }) => details.ownerHash);
  expect(hashes).toEqual(expect.arrayContaining(items.map(({ ownerHash }) => ownerHash)));
  return owners;
}

/** API Gateway knows each owner by the plan with which the authorizer counts, so no request gets 503. */
function expectNobodyRefused(owners: StoredOwner[]): void {
  for (const { details, item } of owners.filter((owner) => owner.item)) {
    const { plan } = item!;
    const usagePlanId = fixture.gatewayKeys().get(gatewayKeyValue(details.ownerId, plan));
    expect(usagePlanId).toBe(`plan-${plan}`);
  }
}

/** API Gateway's keys are those of owners, after a repair that follows a deletion. */
async function expectNoKeyLeft(): Promise<void> {
  await repairOwners(fixture.stage).catch((error) => expect(error.message).toMatch(/no owners/));
  const owners = await allOwners(fixture.stage);
  const ids = owners.map(({ details }) => details.ownerId);
  const left = (await findGatewayKeys(fixture.stage)).map((key) => key.ownerId);
  if (ids.length > 0) expect(ids).toEqual(expect.arrayContaining(left));
}
