import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type PlanName, planNames, plans } from '../../../lib/settings/plans.ts';
import {
  type EmbeddedDynamoDb,
  startDynamoDb,
} from '../../../test/helpers/dynamodb/embedded-dynamodb.ts';
import { reportFailure } from '../failure-report.ts';
import { keysOf } from '../keys/find-key.ts';
import { issueKey } from '../keys/issue-key.ts';
import { keyView } from '../keys/key-view.ts';
import { listKeys } from '../keys/list-keys.ts';
import { findPurgeable, findStageKeys, purgeKeys, withdrawStageKeys } from '../keys/purge-keys.ts';
import { revokeKey } from '../keys/revoke-key.ts';
import { rotateKey } from '../keys/rotate-key.ts';
import { unbanKey } from '../keys/unban-key.ts';
import { resetUsage, setOwnerStatus } from '../owners/change-owner.ts';
import { createOwner } from '../owners/create-owner.ts';
import { allOwners, findOwner } from '../owners/find-owner.ts';
import { reviewPlans } from '../owners/owner-limits.ts';
import { renameOwner } from '../owners/rename-owner.ts';
import { setLimits, setOwnerPlan } from '../owners/set-owner-plan.ts';
import type { CompleteOwner, StoredOwner } from '../owners/stored-owner.ts';
import type { KeyStore } from '../stage/key-store.ts';
import {
  dying,
  issueTo,
  nowMs,
  nowSeconds,
  type StageOfKeys,
  silenced,
  stageOfKeys,
} from './stage-of-keys.ts';

// Each command is run as often as it makes changes, and again.
jest.setTimeout(60_000);

let database: EmbeddedDynamoDb;
let stage: StageOfKeys;
let keyId: string;
let ownerId: string;

beforeAll(async () => {
  database = await startDynamoDb();
});
afterAll(() => database.stop());

/** A command that changes something, and what has to be so when it was run, in the end, in full. */
interface Command {
  readonly name: string;
  readonly plan?: PlanName;
  readonly prepare?: () => Promise<unknown>;
  readonly run: (store: KeyStore) => Promise<unknown>;
  readonly check: () => Promise<void>;
}

const acme = async () => (await findOwner('Acme', stage.store)) as CompleteOwner;
const statuses = async () => (await listKeys({}, stage.store)).map(({ status }) => status).sort();

const commands: Command[] = [
  {
    name: 'owners create',
    run: (store) => createOwner({ name: 'New', plan: 'pro' }, store),
    check: async () => {
      expect((await findOwner('New', stage.store)).item).toMatchObject({ plan: 'pro' });
    },
  },
  {
    name: 'keys issue',
    run: (store) => issueKey({ owner: 'Acme' }, store),
    check: async () => {
      expect((await acme()).item.keys.size).toBe(2);
    },
  },
  {
    name: 'keys rotate',
    run: (store) => rotateOrItsReplacement(keyId, store),
    check: async () => {
      const keys = await listKeys({ owner: 'Acme', status: 'active' }, stage.store);
      const old = keys.find((key) => key.keyId === keyId);
      expect(old!.expiresAt).not.toBeNull();
      expect(keys.some((key) => key.expiresAt === null)).toBe(true);
    },
  },
  {
    name: 'keys revoke',
    run: (store) => revokeKey(keyId, store),
    check: async () => {
      expect(await statuses()).toEqual(['revoked']);
    },
  },
  {
    name: 'keys unban',
    run: (store) => unbanKey(keyId, store),
    check: async () => {
      expect(await statuses()).toEqual(['active']);
    },
  },
  {
    name: 'keys purge',
    prepare: () => revokeKey(keyId, stage.store),
    run: async (store) => purgeKeys(await findPurgeable({ olderThanSeconds: 0 }, store), store),
    check: async () => {
      expect(await statuses()).toEqual([]);
    },
  },
  {
    name: 'keys purge of expired keys',
    prepare: () => rotateKey(keyId, { graceSeconds: 0 }, stage.store),
    run: async (store) => purgeKeys(await findPurgeable({ olderThanSeconds: 0 }, store), store),
    check: async () => {
      expect(await statuses()).toEqual(['active']);
    },
  },
  {
    name: 'keys purge --all',
    run: async (store) => withdrawStageKeys(await findStageKeys(store), store),
    check: async () => {
      expect([await statuses(), stage.gateway.keys.size]).toEqual([['revoked'], 0]);
    },
  },
  {
    name: 'owners set-plan to a larger plan',
    run: (store) => setOwnerPlan('Acme', { plan: 'business' }, store),
    check: async () => {
      const { details, item } = await acme();
      expect([item.plan, details.agreed.plan]).toEqual(['business', 'business']);
      expect(await usagePlanOf(ownerId)).toBe('plan-business');
    },
  },
  {
    name: 'owners set-plan to a smaller plan',
    plan: 'business',
    run: (store) => setOwnerPlan('Acme', { plan: 'free' }, store),
    check: async () => {
      const { details, item } = await acme();
      expect([item.plan, details.agreed.plan]).toEqual(['free', 'free']);
      expect(await usagePlanOf(ownerId)).toBe('plan-free');
    },
  },
  {
    name: 'owners rename',
    run: (store) => renameOwner(ownerId, 'Initech', store),
    check: async () => {
      expect((await findOwner('Initech', stage.store)).details).toMatchObject({
        ownerId,
        name: 'Initech',
      });
      await expect(findOwner('Acme', stage.store)).rejects.toThrow('There is no owner');
    },
  },
  {
    name: 'owners suspend',
    run: async (store) => setOwnerStatus(await acme(), 'suspended', store),
    check: async () => {
      expect((await acme()).item.isActive).toBe(false);
    },
  },
  {
    name: 'owners reset-usage',
    prepare: () => stage.set(ownerId, { dayWindow: nowSeconds, dayCount: 9 }),
    run: async (store) => resetUsage(await acme(), store),
    check: async () => {
      expect((await acme()).item.dayCount).toBe(0);
    },
  },
  {
    name: 'owners apply-plans',
    prepare: async () => {
      await createOwner({ name: 'Other', plan: 'pro' }, stage.store);
      for (const owner of await allOwners(stage.store)) {
        await stage.set(owner.details.ownerId, { perDay: 5 });
      }
    },
    run: async (store) => {
      for (const { owner, limits } of reviewPlans(await allOwners(store)).outdated) {
        await setLimits(owner, owner.item.plan, limits, store);
      }
    },
    check: async () => {
      expect(reviewPlans(await allOwners(stage.store))).toMatchObject({ outdated: [] });
      expect((await acme()).item.perDay).toBe(plans.free.perDay);
    },
  },
];

// More than any command has.
const mostChanges = 20;

describe.each(commands)('$name, killed after any of its changes', (command) => {
  it('leaves nothing valid that nobody knows of, and run again completes', async () => {
    let kills = 0;
    while (kills < mostChanges && (await isKilledAndRepaired(command, kills))) kills++;

    // Each is killed before its first change, and after at least one.
    expect(kills).toBeGreaterThan(1);
    expect(kills).toBeLessThan(mostChanges);
  });
});

describe.each(commands)('$name, any of whose changes is answered with nothing', (command) => {
  it('does not say that it is done, with exit code 3, unless it is, and run again completes', async () => {
    let isReached = true;
    for (let change = 0; isReached; change++) {
      await startStage(command);
      const silent = silenced(stage.store, change);

      const error = await command.run(silent.store).then(
        () => undefined,
        (thrown) => thrown,
      );

      isReached = silent.isReached();
      if (error !== undefined) {
        expect([change, reportFailure(error, { stage: 'prod' })]).toEqual([
          change,
          expect.objectContaining({ exitCode: 3, remedy: expect.stringContaining('run') }),
        ]);
        await repair(error, command);
      }
      await command.check();
      await expectNobodyRefused(await expectNothingUnknown());
    }
  });
});

/**
 * Kills a command after so many changes, and runs it again.
 *
 * @returns false where it has fewer changes, and ran to its end
 */
async function isKilledAndRepaired(command: Command, changes: number): Promise<boolean> {
  try {
    await startStage(command);
    const killed = await diesAfter(changes, command);
    await expectNothingUnknown();
    if (killed) await repair(killed, command);
    await command.check();
    await expectNobodyRefused(await expectNothingUnknown());
    return killed !== undefined;
  } catch (cause) {
    throw new Error(`killed after ${changes} changes`, { cause });
  }
}

/** Empty tables, with an owner and its key. */
async function startStage({ plan = 'free', prepare }: Command): Promise<void> {
  stage = await stageOfKeys(database);
  ({ keyId, ownerId } = await issueTo({ owner: 'Acme', plan }, stage.store));
  await prepare?.();
}

/** As the message of a rotation that was done before tells to. */
async function rotateOrItsReplacement(id: string, store: KeyStore): Promise<unknown> {
  try {
    return await rotateKey(id, { graceSeconds: 60 }, store);
  } catch (error) {
    const [, replacement] = /is replaced by (key_\w+); rotate that one/.exec(String(error)) ?? [];
    if (!replacement) throw error;
    return rotateKey(replacement, { graceSeconds: 60 }, store);
  }
}

/** @returns what the command says where it is killed, and otherwise nothing */
async function diesAfter(changes: number, { run }: Command): Promise<Error | undefined> {
  try {
    await run(dying(stage.store, changes));
    return undefined;
  } catch (error) {
    expect(String(error)).toContain('killed');
    return error as Error;
  }
}

/** Does what the message says, and runs the command again. */
async function repair({ message }: Error, { run }: Command): Promise<void> {
  const [, leftBehind] = /run "keys revoke (key_\w+)", then this command again/.exec(message) ?? [];
  if (leftBehind) await revokeKey(leftBehind, stage.store).catch(isNothingLeft);
  await run(stage.store).catch(isDoneAlready);
}

/** The process was killed before it wrote anything of the key. */
function isNothingLeft(error: Error): void {
  expect(error.message).toContain('No key has the id');
}

/** The process was killed after its last change. */
function isDoneAlready(error: Error): void {
  expect(error.message).toContain('There is an owner "New" already');
}

/**
 * Every key that works is listed with its details, and API Gateway's keys are those of owners.
 *
 * @returns all owners
 */
async function expectNothingUnknown(): Promise<StoredOwner[]> {
  const owners = await allOwners(stage.store);
  const items = await database.readAll(stage.store.apiKeysTable);
  const hashes = owners.map(({ details }) => details.ownerHash);
  expect(hashes).toEqual(expect.arrayContaining(items.map(({ ownerHash }) => ownerHash!.S)));
  for (const key of owners.flatMap(keysOf)) {
    expect(key.details).toMatchObject({ tokenHash: key.tokenHash });
    const { status } = keyView(key, nowMs);
    if (!key.entry) expect(['revoked', 'unfinished']).toContain(status);
  }
  const ids = owners.map(({ details }) => details.ownerId);
  for (const { value } of stage.gateway.keys.values()) expect(ids).toContain(value);
  return owners;
}

/** The usage plan of an owner with keys is never tighter than its own limits. */
async function expectNobodyRefused(owners: StoredOwner[]): Promise<void> {
  for (const { details, item } of owners) {
    if (!item || item.keys.size === 0) continue;
    const plan = plans[await planOfUsagePlan(details.ownerId)];
    expect(plan.perMinute).toBeGreaterThanOrEqual(item.perMinute);
    expect(plan.perDay).toBeGreaterThanOrEqual(item.perDay);
  }
}

async function planOfUsagePlan(id: string): Promise<PlanName> {
  const usagePlanId = await usagePlanOf(id);
  return planNames.find((name) => stage.store.usagePlanIds[name] === usagePlanId)!;
}

async function usagePlanOf(id: string): Promise<string | undefined> {
  const key = [...stage.gateway.keys.values()].find(({ value }) => value === id);
  const [usagePlanId, ...others] = key!.usagePlanIds;
  expect(others).toEqual([]);
  return usagePlanId;
}
