import { type AttributeValue, BatchWriteItemCommand } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { beforeEach } from '@jest/globals';
import { forEachPlan, type PlanName } from '../../../lib/settings/plans.ts';
import {
  type EmbeddedDynamoDb,
  embeddedDynamoDbOfFile,
} from '../../../test/helpers/dynamodb/embedded-dynamodb.ts';
import { issueKey } from '../keys/issue-key.ts';
import type { IssuedKey, KeyTraits } from '../keys/key-draft.ts';
import { createOwner } from '../owners/create-owner.ts';
import { lookUpOwner, readOwner } from '../owners/find-owner.ts';
import type { OwnerLimits } from '../owners/owner-limits.ts';
import type { StoredOwner } from '../owners/stored-owner.ts';
import { change, settingAll } from '../stage/dynamodb-calls.ts';
import type { KeyGateway } from '../stage/key-store.ts';
import { documentClient, type KeyStore } from '../stage/key-store.ts';
import { type FakeGateway, fakeGateway } from './fake-gateway.ts';

export const nowMs = Date.parse('2026-11-20T09:30:15.500Z');
export const nowSeconds = Math.floor(nowMs / 1_000);
export const minute = Date.parse('2026-11-20T09:30:00Z') / 1_000;
export const day = Date.parse('2026-11-20T00:00:00Z') / 1_000;

/** A stage's owners and keys, with empty tables of its own. */
export interface StageOfKeys {
  readonly store: KeyStore;
  readonly gateway: FakeGateway;
  owner(ownerId: string): Promise<StoredOwner>;
  /** All that is stored, to which a test can return. */
  state(): Promise<StageState>;
  restore(state: StageState): Promise<void>;
  /** Brings attributes of an owner's item, or of a key's entry in it, into a state. */
  set(ownerId: string, values: Record<string, number | string>, tokenHash?: string): Promise<void>;
}

interface StageState {
  readonly items: Readonly<Record<string, Record<string, AttributeValue>[]>>;
  readonly gatewayKeys: FakeGateway['keys'];
}

/** Gives each test of the calling file a stage of its own. It can be used in tests and hooks only. */
export function stageOfEachTest(): { stage: StageOfKeys; database: EmbeddedDynamoDb } {
  const database = embeddedDynamoDbOfFile();
  const stage = { store: {} as KeyStore, gateway: {} as FakeGateway } as StageOfKeys;
  beforeEach(async () => {
    const { store, gateway, ...rest } = await stageOfKeys(database);
    Object.assign(stage.store, store);
    Object.assign(stage.gateway, gateway);
    Object.assign(stage, rest);
  });
  return { stage, database };
}

/** Creates empty tables for a stage. */
export async function stageOfKeys(database: EmbeddedDynamoDb): Promise<StageOfKeys> {
  const gateway = fakeGateway();
  const store: KeyStore = {
    documents: documentClient(database.dynamodb),
    gateway,
    apiKeysTable: await database.createApiKeysTable(),
    ownersTable: await database.createOwnersTable(),
    usagePlanIds: forEachPlan((name) => `plan-${name}`),
    stackName: 'StoreOrders-staging',
    tokenPrefix: 'so_test_',
    now: () => nowMs,
  };
  const owner = async (ownerId: string) => (await readOwner(ownerId, store))!;
  const keyNames = { [store.apiKeysTable]: 'ownerHash', [store.ownersTable]: 'ownerId' };
  const itemsOf = async (table: string) => [table, await database.readAll(table)] as const;
  return {
    store,
    gateway,
    owner,
    state: async () => ({
      items: Object.fromEntries(await Promise.all(Object.keys(keyNames).map(itemsOf))),
      gatewayKeys: structuredClone(gateway.keys),
    }),
    restore: async ({ items, gatewayKeys }) => {
      for (const [table, keyName] of Object.entries(keyNames)) {
        const kept = new Set(items[table]!.map((item) => item[keyName]!.S));
        const extra = (await database.readAll(table)).map((item) => ({
          [keyName]: item[keyName]!,
        }));
        const writes = [
          ...extra
            .filter((key) => !kept.has(key[keyName]!.S))
            .map((Key) => ({ DeleteRequest: { Key } })),
          ...items[table]!.map((Item) => ({ PutRequest: { Item } })),
        ];
        if (writes.length === 0) continue;
        const RequestItems = { [table]: writes };
        await database.dynamodb.send(new BatchWriteItemCommand({ RequestItems }));
      }
      gateway.keys.clear();
      for (const [id, key] of structuredClone(gatewayKeys)) gateway.keys.set(id, key);
    },
    set: async (ownerId, values, tokenHash) => {
      const { ownerHash } = (await owner(ownerId)).details;
      const map = tokenHash === undefined ? undefined : '#keys.#key';
      const { names, ...update } = settingAll(values, map);
      const place = map && { '#keys': 'keys', '#key': tokenHash! };
      await change(
        { table: store.apiKeysTable, key: { ownerHash }, ...update, names: { ...names, ...place } },
        store,
      );
    },
  };
}

/** A key that a test wants: of an owner who is made with it, unless there is one of this name. */
export interface WantedKey extends KeyTraits, Partial<OwnerLimits> {
  readonly owner: string;
  readonly plan?: PlanName;
}

/** Issues a key, to a new owner if need be. */
export async function issueTo(wanted: WantedKey, store: KeyStore): Promise<IssuedKey> {
  const { owner: name, plan = 'free', perMinute, perDay } = wanted;
  const isNew = !(await lookUpOwner(name, store))?.item;
  if (isNew) await createOwner({ name, plan, perMinute, perDay }, store);
  return issueKey(wanted, store);
}

/** A call is a command of the document client, or the name of a call to the gateway. */
type Call = object | string;

/** What befalls a command at one of its changes. */
export const mishaps = ['killed after it', 'not done', 'done, and the answer lost'] as const;
export type Mishap = (typeof mishaps)[number];

/** What a call of a store that is dead, or cannot be reached, fails with. */
const lost = () => Object.assign(new Error('socket hang up'), { name: 'TimeoutError' });

/**
 * A store in which one change meets with a mishap. A change of the tables that is not done is answered
 * with nothing, as by a proxy between. After a kill, nothing more is carried out.
 *
 * @param change the number of changes before it
 */
export function meeting(
  mishap: Mishap,
  store: KeyStore,
  change: number,
): { store: KeyStore; isMet(): boolean } {
  let changes = 0;
  let isDead = false;
  const met = intercepted(store, async (call, carryOut) => {
    if (isDead) throw lost();
    if (!isChange(call) || changes++ !== change) return carryOut();
    if (mishap !== 'not done') await carryOut();
    else if (typeof call === 'object') return {};
    isDead = mishap === 'killed after it';
    throw lost();
  });
  return { store: met, isMet: () => changes > change };
}

/** Runs something before a call, the first time. */
export function interposed(
  store: KeyStore,
  isCall: (call: Call) => boolean,
  meanwhile: () => Promise<unknown>,
): KeyStore {
  let isDone = false;
  return intercepted(store, async (call, carryOut) => {
    if (!isDone && isCall(call)) {
      isDone = true;
      await meanwhile();
    }
    return carryOut();
  });
}

type Interceptor = (call: Call, carryOut: () => Promise<unknown>) => Promise<unknown>;

function intercepted(store: KeyStore, intercept: Interceptor): KeyStore {
  const { documents, gateway } = store;
  const send = documents.send.bind(documents) as (command: object) => Promise<unknown>;
  const calls = Object.entries(gateway).filter(([, call]) => typeof call === 'function');
  const guarded = calls.map(([name, call]) => [
    name,
    (parameter: unknown) => intercept(name, () => call(parameter)),
  ]);
  return {
    ...store,
    documents: new Proxy(documents, {
      get: (target, name) =>
        name === 'send'
          ? (command: object) => intercept(command, () => send(command))
          : Reflect.get(target, name, target),
    }) as DynamoDBDocumentClient,
    gateway: Object.fromEntries(guarded) as KeyGateway,
  };
}

function isChange(call: Call): boolean {
  if (typeof call === 'string') return /^(create|delete)/.test(call);
  const kinds = [PutCommand, UpdateCommand, DeleteCommand, TransactWriteCommand];
  return kinds.some((kind) => call instanceof kind);
}

/** Tells the updates of a table. */
export function isUpdateOf(tableName: string): (call: Call) => boolean {
  return (call) => call instanceof UpdateCommand && call.input.TableName === tableName;
}
