import { isDeepStrictEqual } from 'node:util';
import { expect, it } from '@jest/globals';
import { gatewayKeyValue } from '../../../lambdas/keys/owner-record.ts';
import { reportFailure } from '../failure-report.ts';
import { keyView } from '../keys/key-view.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { FailedCallError } from '../stage/service-failure.ts';
import { ownerOfGatewayKey } from '../store/gateway-keys.ts';
import type { HistoryRecord } from '../store/history.ts';
import { keysOf } from '../store/keys.ts';
import { allOwners, findOwner } from '../store/owners.ts';
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

/** Reads everything that is stored. */
async function look() {
  const [items, entries] = [await fixture.readAll('Owners'), await fixture.readAll('ApiKeys')];
  const owners = (await allOwners(fixture.stage)).map(({ details, item }) => {
    // Every record has a new revision, also if nothing else has changed.
    const { revision: _, ...others } = details;
    return { details: others, item };
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
    records: new Set(records.map(([, { command, changes }]) => ({ command, changes }))),
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

/** What happens before a command. */
const preparations: Readonly<Record<string, () => Promise<unknown>>> = {
  'which is banned': () => fixture.set(keyId, { bannedUntil: nowSeconds + 60 }),
  'who has an expired key': () => fixture.set(keyId, { expiresAt: nowSeconds - 1 }),
  'who has made requests': () => fixture.set(ownerId, { dayWindow: nowSeconds, dayCount: 9 }),
  'whose creation was interrupted': async () => {
    await run(`owners delete ${ownerId}`, fixture.stage);
    const { stage } = stageWithMishap('not done', 1);
    await run('owners create Acme --plan pro', stage).catch(() => {});
    ({ ownerId } = (await findOwner('Acme', fixture.stage)).details);
  },
};

const mishaps = ['not done', 'done, but its response lost'] as const;

it.each(
  [
    'owners create New --plan pro',
    'keys issue --owner Acme',
    'keys rotate KEY --grace 60s',
    'keys rotate KEY --grace 0s',
    'keys expire KEY 1h',
    'keys revoke KEY',
    'keys unban KEY, which is banned',
    'keys issue --owner Acme, whose creation was interrupted',
    'keys issue --owner Acme, who has an expired key',
    'owners set-plan Acme business',
    'owners rename OWNER Initech',
    'owners delete OWNER',
    'owners suspend Acme',
    'owners reset-usage Acme, who has made requests',
  ].flatMap((command) => mishaps.map((mishap) => [command, mishap] as const)),
)(
  '%s, when one of its changes is %s, refuses no request, leaves every key listed, and completes when it is run again',
  async (command, mishap) => {
    const restore = await startStage(command);
    const before = await look();
    await execute(command, fixture.stage);
    const expected = await look();
    let changes = 0;
    for (let hasHappened = true; hasHappened; changes++) {
      await restore();
      const { stage, state } = stageWithMishap(mishap, changes);

      const error = await execute(command, stage).then(
        () => undefined,
        (thrown: Error) => thrown,
      );

      ({ hasHappened } = state);
      try {
        expect([state.callsAfter, error !== undefined]).toEqual([0, hasHappened]);
        const after = await look();
        expectSound(after);
        expectRecorded(before, after);
        if (error) await repair(error, command);
        const completed = await look();
        expectSound(completed);
        expectRecorded(after, completed);
        const records = expect.anything();
        expect({ ...completed.state, records }).toEqual({ ...expected.state, records });
        expect(completed.gatewayKeys).toEqual(expected.gatewayKeys);
        const [commandName] = /^\w+ [\w-]+/.exec(command)!;
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

it.each([
  ['owners create New --plan pro', 'owners create New --plan free'],
  ['owners set-plan Acme business', 'owners set-plan Acme pro'],
  ['owners set-plan Acme business', 'owners delete OWNER'],
  ['owners rename OWNER Initech', 'owners rename OWNER Hooli'],
  ['owners delete OWNER', 'owners delete OWNER'],
  ['owners delete OWNER', 'owners rename OWNER Hooli'],
  ['owners delete OWNER', 'owners create Acme --plan free'],
  ['keys issue --owner Acme, whose creation was interrupted', 'owners delete OWNER'],
  ['owners suspend Acme', 'keys issue --owner Acme'],
  ['keys issue --owner Acme', 'keys issue --owner Acme'],
  ['keys rotate KEY --grace 60s', 'keys rotate KEY --grace 60s'],
  ['keys rotate KEY --grace 60s', 'keys expire KEY 30s'],
  ['keys expire KEY 1h', 'keys expire KEY 30s'],
  ['keys revoke KEY', 'keys revoke KEY'],
  [
    'keys issue --owner Acme, who has an expired key',
    'keys expire KEY 61m, by a clock that is behind',
  ],
])(
  '%s refuses no request, and has its effect before or after a change of a second operator (%s) or none, whenever that is made',
  async (...commands) => {
    const restore = await startStage(commands[0]);
    /** Whether each of the two commands has succeeded. */
    let done = [false, false];
    const attempt = (index: 0 | 1, stage = fixture.stage) =>
      execute(commands[index], stage).then(
        () => {
          done[index] = true;
        },
        (error: Error) => expect(error.message).toMatch(refusals),
      );
    const begin = async () => {
      await restore();
      done = [false, false];
    };
    /** The commands that succeed one after the other, and the state after them. */
    const outcomeOf = async (...indexes: (0 | 1)[]) => {
      await begin();
      for (const index of indexes) await attempt(index);
      return { done, state: (await look()).state };
    };
    const outcomes = [
      await outcomeOf(0, 1),
      await outcomeOf(1, 0),
      await outcomeOf(0),
      await outcomeOf(1),
    ];
    for (let calls = 0, isBetween = true; isBetween; calls++) {
      await begin();
      isBetween = false;
      let left = calls;
      const meanwhile = async () => {
        isBetween = true;
        expectSound(await look());
        await attempt(1);
      };

      try {
        await attempt(
          0,
          interposed(fixture.stage, () => left-- === 0, meanwhile),
        );
        const after = await look();
        expect(outcomes).toContainEqual({ done, state: after.state });
        expectSound(after);
        await expectNoGatewayKeyLeft(after);
      } catch (cause) {
        throw new Error(`before its call ${calls + 1}: ${cause}`, { cause });
      }
    }
  },
);

const refusals = /at the same time|(no|already an) owner|already replaced|is expired/;

/** Runs a command. What follows a comma are the circumstances. */
async function execute(command: string, stage: KeyStage): Promise<unknown> {
  const [line, circumstances] = command.split(', ');
  const isBehind = circumstances === 'by a clock that is behind';
  const now = () => (isBehind ? nowMs - 3_600_000 : nowMs);
  return run(line!.replace('KEY', keyId).replace('OWNER', ownerId), { ...stage, now });
}

/** Creates an owner with a key. @returns a function that restores them */
async function startStage(command: string): Promise<() => Promise<void>> {
  ({ keyId, ownerId } = await issueTo('Acme', fixture.stage));
  const [, circumstances] = command.split(', ');
  if (circumstances) await preparations[circumstances]!();
  return fixture.save();
}

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
async function repair(error: Error, command: string): Promise<void> {
  const { exitCode, remedy } = reportFailure(error, {});
  expect([exitCode, remedy]).toEqual([3, expect.stringContaining('run')]);
  const [, line] = /run "\.\/admin (keys r[^"]*)"/.exec(remedy!) ?? [];
  const ended = line && (await run(line, fixture.stage).catch(ignoring('No key has the id')));
  if (ended?.apiKey) return;
  // The last change was done, but its response was lost.
  await execute(command, fixture.stage).catch(ignoring('There is already an owner "New"'));
}

function ignoring(message: string) {
  return (error: Error) => expect(error.message).toContain(message);
}

/** There is a new record if, and only if, something has changed. */
function expectRecorded(before: Looked, after: Looked): void {
  const isRecorded = [...after.records.keys()].some((name) => !before.records.has(name));
  expect(isRecorded).toBe(!isDeepStrictEqual(after.owners, before.owners));
}

/**
 * Every item is that of an owner, and each owner has one name, by which it is found. Every key that works is listed with
 * its details, and every other one with its end. Each key has one replacement.
 */
function expectSound({ owners, entries, reservations }: Looked): void {
  const names = owners.map(({ details }) => {
    return { ownerId: `name#${details.name.toLowerCase()}`, owner: details.ownerId };
  });
  expect(new Set(reservations)).toEqual(new Set(names));
  expect(entries.length).toBe(owners.length);
  const keys = owners.flatMap(keysOf);
  for (const { owner, details, entry } of keys) {
    const { lastFour, revokedAt, expiresAt } = details;
    expect(lastFour).toMatch(/^\w{4}$/);
    expect(entry === undefined).toBe((revokedAt ?? expiresAt) !== undefined);
    if (!entry) continue;
    // API Gateway knows the owner by the plan with which the authorizer counts, so no request gets 503.
    const { plan } = owner.item;
    const usagePlanId = fixture.gatewayKeys().get(gatewayKeyValue(owner.details.ownerId, plan));
    expect(usagePlanId).toBe(`plan-${plan}`);
  }
  const valid = keys.filter(({ entry }) => entry);
  const replaced = valid.flatMap(({ details }) => details.replaces ?? []);
  expect(new Set(replaced).size).toBe(replaced.length);
}

/** A repair leaves only gateway keys of owners. */
async function expectNoGatewayKeyLeft({ owners }: Looked): Promise<void> {
  if (owners.length === 0) return;
  await run('owners repair', fixture.stage);
  const ids = owners.map(({ details }) => details.ownerId);
  const left = [...fixture.gatewayKeys().keys()].map(ownerOfGatewayKey);
  expect(ids).toEqual(expect.arrayContaining(left));
}
