import { inspect, isDeepStrictEqual } from 'node:util';
import { expect, it } from '@jest/globals';
import { gatewayKeyValue } from '../../../lambdas/keys/owner-record.ts';
import { timeAhead } from '../console/option-values.ts';
import { reportFailure } from '../failure-report.ts';
import { expire } from '../keys/expire.ts';
import { issueKey } from '../keys/issue.ts';
import { keyView } from '../keys/key-view.ts';
import { revoke } from '../keys/revoke.ts';
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
import { FailedCallError } from '../stage/service-failure.ts';
import { ownerOfGatewayKey } from '../store/gateway-keys.ts';
import type { HistoryRecord } from '../store/history.ts';
import { findKey, keysOf } from '../store/keys.ts';
import { findOwner } from '../store/owners.ts';
import type { StoredOwner } from '../store/stored-owner.ts';
import {
  intercepted,
  interposed,
  issueTo,
  isTransaction,
  nowMs,
  nowSeconds,
  run,
  stageOfEachTest,
} from './stage-of-keys.ts';

const fixture = stageOfEachTest();
let keyId: string;
let ownerId: string;

/** A command that changes something. */
type Command = (stage: KeyStage) => Promise<unknown>;

/** Reads everything that is stored. */
async function look() {
  const [items, entries] = await Promise.all([
    fixture.readAll('Owners'),
    fixture.readAll('ApiKeys'),
  ]);
  const owners = items
    .filter(({ seed }) => seed)
    // Every record has a new revision, also if nothing else has changed.
    .map(({ revision: _, ...details }) => {
      const item = entries.find(({ ownerHash }) => ownerHash === details.ownerHash);
      return { details, item } as unknown as StoredOwner;
    });
  const histories = items.filter((each) => String(each.ownerId).startsWith('history#'));
  const records = histories.flatMap(({ ownerId: history, ...each }) =>
    Object.entries(each).map(
      ([name, record]) => [`${history} ${name}`, record as HistoryRecord] as const,
    ),
  );
  const { item } = owners.find(({ details }) => details.ownerId === ownerId) ?? {};
  const keys = owners.flatMap(keysOf).map((key) => {
    const { status, expiresAt } = keyView(key, fixture.stage);
    const end = expiresAt ? ` until ${expiresAt}` : '';
    return `${key.keyId === keyId ? 'old' : 'new'} ${status}${end}`;
  });
  const reservations = items.filter(({ owner }) => owner);
  const state = {
    names: reservations.map((each) => each.ownerId).sort(),
    plan: item?.plan,
    dayCount: item?.dayCount,
    // A new key that nobody has received is revoked.
    keys: keys.filter((key) => key !== 'new revoked').sort(),
    entries: Object.keys(item?.keys ?? {}).length,
    records: records
      .map(([, { command, changes }]) => inspect({ command, changes }, { sorted: true, depth: 3 }))
      .sort(),
  };
  // An owner without API keys gets its gateway key at the latest before its first API key.
  const keyless = owners.filter((each) => Object.keys(each.item.keys).length === 0);
  const unused = keyless.map(({ details }) => details.ownerId);
  const gatewayKeys = [...fixture.gatewayKeys().keys()]
    .filter((value) => !unused.includes(ownerOfGatewayKey(value)))
    .map((value) => value.replace(/^own_[^_]+/, ''));
  return { owners, entries, reservations, state, gatewayKeys, records: new Map(records) };
}

type Looked = Awaited<ReturnType<typeof look>>;

const commands = {
  'owners create': (stage) => createOwner({ name: 'New', plan: 'pro' }, stage),
  'keys issue': (stage) => issueKey({ owner: 'Acme' }, stage),
  'keys rotate': (stage) => rotateKey(keyId, '60s', stage),
  'keys rotate without a grace period': (stage) => rotateKey(keyId, '0s', stage),
  'keys expire': (stage) => run(expire, [keyId, '1h'], stage),
  'keys revoke': (stage) => run(revoke, [keyId], stage),
  'keys unban': (stage) => run(unban, [keyId], stage),
  'keys issue after an interrupted creation': (stage) => issueKey({ owner: 'Acme' }, stage),
  'keys issue that lets an expired key leave': (stage) => issueKey({ owner: 'Acme' }, stage),
  'owners set-plan': (stage) => run(setPlan, ['Acme', 'business'], stage),
  'owners rename': (stage) => run(rename, [ownerId, 'Initech'], stage),
  'owners delete': (stage) => run(deletion, [ownerId], stage),
  'owners suspend': (stage) => run(suspend, ['Acme'], stage),
  'owners reset-usage': (stage) => run(resetUsage, ['Acme'], stage),
} satisfies Record<string, Command>;

type CommandName = keyof typeof commands;

/** What happens before some of the commands. */
const preparations: { [Name in CommandName]?: () => Promise<unknown> } = {
  'keys unban': () => setInEntry({ bannedUntil: nowSeconds + 60 }),
  'keys issue after an interrupted creation': async () => {
    await run(deletion, [ownerId], fixture.stage);
    const { stage } = stageWithMishap('not done', 1);
    await createOwner({ name: 'Acme', plan: 'pro' }, stage).catch(() => {});
    ({ ownerId } = (await findOwner('Acme', fixture.stage)).details);
  },
  'keys issue that lets an expired key leave': () => setInEntry({ expiresAt: nowSeconds - 1 }),
  'owners reset-usage': () => fixture.set(ownerId, { dayWindow: nowSeconds, dayCount: 9 }),
};

const names = Object.keys(commands) as CommandName[];
const mishaps = ['not done', 'done, but its response lost'] as const;

it.each(names.flatMap((name) => mishaps.map((mishap) => [name, mishap] as const)))(
  '%s, when one of its changes is %s, refuses no request, leaves every key listed, and completes when it is run again',
  async (name, mishap) => {
    const command: Command = commands[name];
    const restore = await startStage(name);
    const before = await look();
    await command(fixture.stage);
    const expected = await look();
    let changes = 0;
    for (let hasHappened = true; hasHappened; changes++) {
      await restore();
      const { stage, state } = stageWithMishap(mishap, changes);

      const error = await command(stage).then(
        () => undefined,
        (thrown: Error) => thrown,
      );

      ({ hasHappened } = state);
      try {
        expect([state.callsAfter, error !== undefined]).toEqual([0, hasHappened]);
        const after = await look();
        expectNothingUnknown(after);
        expectRecorded(before, after);
        if (error) await repair(error, command);
        const completed = await look();
        expectNothingUnknown(completed);
        expectRecorded(after, completed);
        const records = expect.anything();
        expect({ ...completed.state, records }).toEqual({ ...expected.state, records });
        expect(completed.gatewayKeys).toEqual(expected.gatewayKeys);
        const [commandName] = /^\w+ [\w-]+/.exec(name)!;
        expect([...completed.records.values()]).toContainEqual(
          expect.objectContaining({ command: commandName, by: 'user/ann' }),
        );
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
const creation = (name: string) => (stage: KeyStage) => createOwner({ name, plan: 'free' }, stage);
const expiringAt = (when: string) => (stage: KeyStage) => run(expire, [keyId, when], stage);

it.each<[CommandName, string, Command]>([
  ['owners create', 'another of the same name', creation('New')],
  ['owners set-plan', 'another plan', move],
  ['owners set-plan', 'owners delete', remove],
  ['owners rename', 'another name', renaming],
  ['owners delete', 'owners delete', (stage) => remove(stage).catch(isDoneAlready)],
  ['owners delete', 'another name', renaming],
  ['owners delete', 'owners create of the same name', creation('Acme')],
  ['keys issue after an interrupted creation', 'owners delete', remove],
  ['owners suspend', 'keys issue', (stage) => issueKey({ owner: 'Acme' }, stage)],
  ['keys issue', 'keys issue', (stage) => issueKey({ owner: 'Acme' }, stage)],
  ['keys rotate', 'another rotation', (stage) => rotateKey(keyId, '60s', stage)],
  ['keys rotate', 'another expiry', expiringAt('30s')],
  ['keys rotate', 'a ban', () => setInEntry({ bannedUntil: nowSeconds + 60 })],
  ['keys expire', 'another expiry', expiringAt('30s')],
  ['keys revoke', 'keys revoke', (stage) => run(revoke, [keyId], stage)],
  [
    'keys issue that lets an expired key leave',
    'keys expire, by a clock that is behind',
    (stage) => run(expire, [keyId, '61m'], { ...stage, now: () => nowMs - 3_600_000 }),
  ],
])(
  '%s refuses no request, and has its effect before or after a change of a second operator (%s) or none, whenever that is made',
  async (name, _, second) => {
    const first: Command = commands[name];
    const restore = await startStage(name);
    const done = new Set<Command>();
    const attempt = (change: Command, stage = fixture.stage) =>
      change(stage).then(
        () => done.add(change),
        (error: Error) => expect(error.message).toMatch(refusals),
      );
    const begin = async () => {
      await restore();
      done.clear();
    };
    /** The changes that succeed one after the other, and the state after them. */
    const outcomeOf = async (...changes: Command[]) => {
      await begin();
      for (const change of changes) await attempt(change);
      return { done: new Set(done), state: (await look()).state };
    };
    const outcomes = [
      await outcomeOf(first, second),
      await outcomeOf(second, first),
      await outcomeOf(first),
      await outcomeOf(second),
    ];
    for (let calls = 0, isBetween = true; isBetween; calls++) {
      await begin();
      isBetween = false;
      let left = calls;
      const meanwhile = async () => {
        isBetween = true;
        expectNobodyRefused(await look());
        await attempt(second);
      };

      try {
        await attempt(
          first,
          interposed(fixture.stage, () => left-- === 0, meanwhile),
        );
        const after = await look();
        expect(outcomes).toContainEqual({ done, state: after.state });
        expectNobodyRefused(after);
        expectOneOfEach(after);
        await expectNoGatewayKeyLeft(after);
      } catch (cause) {
        throw new Error(`before its call ${calls + 1}: ${cause}`, { cause });
      }
    }
  },
);

const refusals = /at the same time|(no|already an) owner|already replaced|is expired/;

/** Creates an owner with a key. @returns a function that restores them */
async function startStage(name: CommandName): Promise<() => Promise<void>> {
  ({ keyId, ownerId } = await issueTo({ owner: 'Acme' }, fixture.stage));
  await preparations[name]?.();
  return fixture.save();
}

/** Sets values of the key's entry. */
async function setInEntry(values: Record<string, number>): Promise<void> {
  const { tokenHash } = await findKey(keyId, fixture.stage);
  await fixture.set(ownerId, values, tokenHash);
}

const rotateKey = (id: string, grace: string, stage: KeyStage) =>
  run(rotate, [id], stage, { grace: timeAhead(grace) });

/**
 * A stage in which one change has a mishap, after a number of others. Like a killed command, a command makes no call
 * after the mishap, which `callsAfter` counts.
 */
function stageWithMishap(mishap: (typeof mishaps)[number], change: number) {
  let changes = 0;
  const state = { hasHappened: false, callsAfter: 0 };
  const stage = intercepted(fixture.stage, async (call, carryOut) => {
    if (state.hasHappened) state.callsAfter++;
    const isChange = isTransaction(call) || /^(create|add|delete)/.test(String(call));
    if (!isChange || changes++ !== change) return carryOut();
    state.hasHappened = true;
    if (mishap !== 'not done') await carryOut();
    throw new FailedCallError('noResponse', 'a call', new Error('socket hang up'));
  });
  return { stage, state };
}

/** Does what the message says: ends a new key that nobody has received, or replaces it, and runs the command again. */
async function repair(error: Error, command: Command): Promise<void> {
  const { exitCode, remedy } = reportFailure(error, { stage: 'prod' });
  expect([exitCode, remedy]).toEqual([3, expect.stringContaining('run')]);
  const [, verb, newKey = ''] = /run "\.\/admin keys (revoke|rotate) (key_\w+)/.exec(remedy!) ?? [];
  if (verb === 'revoke') await run(revoke, [newKey], fixture.stage).catch(isNothingLeft);
  if (verb === 'rotate' && (await rotateKey(newKey, '0s', fixture.stage).catch(isNothingLeft)))
    return;
  await command(fixture.stage).catch(isDoneAlready);
}

function isNothingLeft(error: Error): void {
  expect(error.message).toContain('No key has the id');
}

/** Expects the error that follows if the last change was done, but its response was lost. */
function isDoneAlready(error: Error): void {
  expect(error.message).toMatch(/There is already an owner "New"/);
}

/** There is a new record if, and only if, something has changed. */
function expectRecorded(before: Looked, after: Looked): void {
  const isRecorded = [...after.records.keys()].some((name) => !before.records.has(name));
  expect(isRecorded).toBe(!isDeepStrictEqual(after.owners, before.owners));
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
  const found = reservations.map(({ ownerId: name, owner }) => `${name} of ${owner}`);
  const named = owners.map(
    ({ details }) => `name#${details.name.toLowerCase()} of ${details.ownerId}`,
  );
  expect(found.sort()).toEqual(named.sort());
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
