import { type DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach } from '@jest/globals';
import { plans } from '../../../lib/settings/plans.ts';
import { embeddedDynamoDbOfFile } from '../../../test/helpers/dynamodb/embedded-dynamodb.ts';
import { type ControlPlane, createControlPlane } from '../../local/aws/management/control-plane.ts';
import type { Verb, Call as VerbCall } from '../console/verb.ts';
import { issueKey, type KeyRequest } from '../keys/issue.ts';
import type { IssuedKey } from '../keys/new-key.ts';
import { createOwner } from '../owners/create.ts';
import { changeTogether, expressions, readItems } from '../stage/dynamodb-calls.ts';
import type { KeyGateway } from '../stage/key-gateway.ts';
import { type KeyStage, keyStage } from '../stage/key-stage.ts';
import { lookUpOwner, readOwner } from '../store/owners.ts';

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
  const owner = async (ownerId: string) => (await readOwner(ownerId, stage))!;
  /** Sets attributes of an owner's item, or of a key's entry in it. */
  const set = async (ownerId: string, values: Record<string, unknown>, tokenHash?: string) => {
    const path = tokenHash === undefined ? '' : `keys.${tokenHash}.`;
    const entries = Object.entries(values).map(([name, value]) => [`${path}${name}`, value]);
    const { ownerHash } = (await owner(ownerId)).details;
    const change = { key: { ownerHash }, set: Object.fromEntries(entries) };
    const Update = expressions({ table: stage.apiKeysTable, ...change });
    await changeTogether([{ Update }], stage);
  };
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
  return { stage, gatewayKeys, readAll, owner, set, save };
}

/** Issues a key, and creates its owner on the free plan unless there is one of this name. */
export async function issueTo(options: KeyRequest, stage: KeyStage): Promise<IssuedKey> {
  const { owner: name } = options;
  if (!(await lookUpOwner(name, stage))) await createOwner({ name, plan: 'free' }, stage);
  return issueKey(options, stage);
}

/** Runs a command with `--yes`, and returns its result. */
export async function run<Options extends object>(
  verb: Verb<Options>,
  words: readonly string[],
  stage: KeyStage,
  options?: Options,
) {
  const call = { stage, options: options ?? {}, confirm: async () => {} };
  const result = await verb.run(call as unknown as VerbCall<Options>, ...words);
  // biome-ignore lint/suspicious/noExplicitAny: each command has a shape of its own
  return result!.value as any;
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
  const { documents, gateway } = stage;
  const send = documents.send.bind(documents) as (command: object) => Promise<unknown>;
  const calls = Object.entries(gateway).filter(([, call]) => typeof call === 'function');
  const guarded = calls.map(([name, call]) => [
    name,
    (...parameters: never[]) =>
      intercept(name, () => (call as (...all: never[]) => Promise<unknown>)(...parameters)),
  ]);
  return {
    ...stage,
    documents: new Proxy(documents, {
      get: (target, name) =>
        name === 'send'
          ? (command: object) => intercept(command, () => send(command))
          : Reflect.get(target, name, target),
    }) as DynamoDBDocumentClient,
    gateway: Object.fromEntries(guarded) as KeyGateway,
  };
}

/** Matches the transactions that change tables. */
export function isTransaction(call: Call): boolean {
  return call instanceof TransactWriteCommand;
}
