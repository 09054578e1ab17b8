import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach } from '@jest/globals';
import { Command } from 'commander';
import { plans } from '../../../lib/settings/plans.ts';
import { embeddedDynamoDbOfFile } from '../../../test/helpers/dynamodb/embedded-dynamodb.ts';
import { type ControlPlane, createControlPlane } from '../../local/aws/management/control-plane.ts';
import type { Call as VerbCall } from '../console/verb.ts';
import type { IssuedKey } from '../keys/new-key.ts';
import { groups } from '../program.ts';
import { changeTogether, expressions, readItems } from '../stage/dynamodb-calls.ts';
import { type KeyStage, keyStage } from '../stage/key-stage.ts';
import { isKeyId } from '../store/identities.ts';
import { findKey } from '../store/keys.ts';
import { findOwner, lookUpOwner } from '../store/owners.ts';

export const nowMs = Date.parse('2026-11-20T09:30:15.500Z');
export const nowSeconds = Math.floor(nowMs / 1_000);
export const minute = Date.parse('2026-11-20T09:30:00Z') / 1_000;

/** Gives each test of the calling file an empty stage, whose tables are in an embedded database. */
export function stageOfEachTest() {
  const database = embeddedDynamoDbOfFile();
  beforeAll(() => {
    // DynamoDB answers other reads with values that may be outdated, and the embedded database does not.
    database.dynamodb.middlewareStack.add(
      (next, { commandName = '' }) =>
        (call) => {
          const isRead = /^(Get|Scan)/.test(commandName);
          if (isRead && !('ConsistentRead' in call.input)) throw new Error('an outdated read');
          return next(call);
        },
      { step: 'initialize' },
    );
  });
  const stage = {} as KeyStage;
  const startEmpty = async () => {
    const outputs: Record<string, string> = {
      ApiKeysTableName: await database.createApiKeysTable(),
      OwnersTableName: await database.createOwnersTable(),
      Plans: JSON.stringify(plans),
    };
    const deployed = keyStage('staging', (name) => outputs[name]!, {
      dynamodb: database.dynamodb,
      gateway: createControlPlane(),
      now: () => nowMs,
      operator: 'user/ann',
    });
    Object.assign(stage, deployed, { usagePlanId: (plan: string) => `plan-${plan}` });
  };
  beforeEach(startEmpty);
  /** The usage plan of each gateway key, by the key's value; undefined if it is in none. */
  const gatewayKeys = () => {
    const { keys } = stage.gateway as ControlPlane;
    return new Map([...keys.values()].map(({ value, usagePlanId }) => [value, usagePlanId]));
  };
  const readAll = (table: 'ApiKeys' | 'Owners') =>
    readItems<Record<string, unknown>>(
      table === 'Owners' ? stage.ownersTable : stage.apiKeysTable,
      stage,
    );
  const set = (id: string, values: Record<string, unknown>) => setStored(id, values, stage);
  /** Reads everything. The returned function restores it. */
  const save = async () => {
    const [owners, entries] = [await readAll('Owners'), await readAll('ApiKeys')];
    const keys = gatewayKeys();
    return async () => {
      await startEmpty();
      const puts = [
        ...owners.map((Item) => ({ Put: { TableName: stage.ownersTable, Item } })),
        ...entries.map((Item) => ({ Put: { TableName: stage.apiKeysTable, Item } })),
      ];
      await changeTogether(puts, stage);
      for (const [value, usagePlanId] of keys) {
        const key = { name: `${stage.stackName}-${value}`, value, tags: {} };
        const { id } = await stage.gateway.createGatewayKey(key);
        await stage.gateway.addToUsagePlan(usagePlanId!, id);
      }
    };
  };
  return { stage, gatewayKeys, readAll, set, save };
}

/** Sets attributes of an owner's item, or of a key's entry in it, as if time had passed. */
export async function setStored(id: string, values: Record<string, unknown>, stage: KeyStage) {
  const key = isKeyId(id) ? await findKey(id, stage) : undefined;
  const path = key ? `keys.${key.tokenHash}.` : '';
  const entries = Object.entries(values).map(([name, value]) => [`${path}${name}`, value]);
  const { ownerHash } = (key?.owner ?? (await findOwner(id, stage))).details;
  const change = { key: { ownerHash }, set: Object.fromEntries(entries) };
  const Update = expressions({ table: stage.apiKeysTable, ...change });
  await changeTogether([{ Update }], stage);
}

/** Issues a key, and creates its owner on the free plan unless there is one of this name. */
export async function issueTo(owner: string, stage: KeyStage, options = ''): Promise<IssuedKey> {
  if (!(await lookUpOwner(owner, stage))) await run(`owners create ${owner} --plan free`, stage);
  return run(`keys issue --owner ${owner} ${options}`, stage);
}

/** Runs a command line, confirms the command's question, and returns the result. */
export async function run(line: string, stage: KeyStage) {
  const quoted = line.match(/"[^"]*"|\S+/g)!;
  const [group, name, ...words] = quoted.map((word) => word.replaceAll('"', ''));
  const { verbs } = groups.find((each) => each.name === group)!;
  const verb = verbs.find(({ usage }) => usage.split(' ')[0] === name)!;
  const command = new Command().allowExcessArguments();
  for (const option of verb.options ?? []) command.addOption(option);
  command.parse(words, { from: 'user' });
  const call = { stage, options: command.opts(), confirm: async () => {} };
  const { value } = await verb.run(call as unknown as VerbCall, ...command.args);
  // biome-ignore lint/suspicious/noExplicitAny: each command has a shape of its own
  return value as any;
}

/** A call is a command of the document client, or the name of a call to the gateway. */
type Call = object | string;

/** Runs something before the first call that matches. */
export function interposed(
  stage: KeyStage,
  isCall: (call: Call) => boolean,
  meanwhile: () => Promise<unknown>,
): KeyStage {
  let isDone = false;
  return intercepted(stage, async (call, carryOut) => {
    if (!isDone && isCall(call)) {
      isDone = true;
      await meanwhile();
    }
    return carryOut();
  });
}

type Interceptor = (call: Call, carryOut: () => Promise<unknown>) => Promise<unknown>;

/** A stage whose calls another function makes, or leaves out. */
export function intercepted(stage: KeyStage, intercept: Interceptor): KeyStage {
  const through = <Service extends object>(service: Service): Service =>
    new Proxy(service, {
      get: (_, name) => {
        const member: unknown = Reflect.get(service, name);
        if (typeof member !== 'function') return member;
        return (...parameters: object[]) =>
          intercept(name === 'send' ? parameters[0]! : String(name), () =>
            member.apply(service, parameters),
          );
      },
    });
  return { ...stage, documents: through(stage.documents), gateway: through(stage.gateway) };
}

/** Matches the transactions that change tables. */
export function isTransaction(call: Call): boolean {
  return call instanceof TransactWriteCommand;
}
