import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { findKey, type StoredKey } from '../../../admin/keys/find-key.ts';
import { issueKey, type KeyRequest } from '../../../admin/keys/issue-key.ts';
import type { IssuedKey } from '../../../admin/keys/key-draft.ts';
import { documentClient, type KeyStore } from '../../../admin/stage/key-store.ts';
import { hashOwnerPart, hashToken } from '../../../lambdas/shared/api-key.ts';
import type { EmbeddedDynamoDb } from '../../helpers/embedded-dynamodb.ts';
import { type FakeGateway, fakeGateway } from './fake-gateway.ts';

export const nowMs = Date.parse('2026-11-20T09:30:15.500Z');
export const nowSeconds = Math.floor(nowMs / 1_000);
export const minute = Date.parse('2026-11-20T09:30:00Z') / 1_000;
export const day = Date.parse('2026-11-20T00:00:00Z') / 1_000;

type Send = (command: object) => Promise<unknown>;

/** A stage's owners and keys in the embedded DynamoDB, and API Gateway in memory. */
export class KeyStage {
  readonly gateway: FakeGateway = fakeGateway();
  readonly store: KeyStore;
  readonly #database: EmbeddedDynamoDb;

  static async create(database: EmbeddedDynamoDb): Promise<KeyStage> {
    return new KeyStage(database, {
      apiKeysTable: await database.createApiKeysTable(),
      ownersTable: await database.createOwnersTable(),
    });
  }

  private constructor(
    database: EmbeddedDynamoDb,
    tables: Pick<KeyStore, 'apiKeysTable' | 'ownersTable'>,
  ) {
    this.#database = database;
    this.store = {
      ...tables,
      documents: documentClient(database.dynamodb),
      gateway: this.gateway,
      usagePlanIds: {
        free: 'plan-free',
        pro: 'plan-pro',
        business: 'plan-b',
        enterprise: 'plan-e',
      },
      stackName: 'StoreOrders-staging',
      tokenPrefix: 'so_test_',
      now: () => nowMs,
    };
  }

  issue(request: Partial<KeyRequest> = {}): Promise<IssuedKey> {
    return issueKey({ plan: 'free', owner: 'Acme', ...request }, this.store);
  }

  find({ keyId }: { keyId: string }): Promise<StoredKey> {
    return findKey(keyId, this.store);
  }

  /** Everything that is stored anywhere. */
  async everything(): Promise<string> {
    const { apiKeysTable, ownersTable } = this.store;
    const items = [
      await this.#database.readAll(apiKeysTable),
      await this.#database.readAll(ownersTable),
    ];
    return JSON.stringify([...items, [...this.gateway.keys.values()]]);
  }

  /** Brings an owner's counters, or a key's entry (`key.bannedUntil`), into a state. */
  async set({ apiKey }: IssuedKey, changes: Record<string, number>): Promise<void> {
    const entries = Object.entries(changes);
    const isOfKey = entries.some(([path]) => path.startsWith('key.'));
    const sets = entries.map(([path], at) => `${path.replace(/^key\./, '#keys.#key.')} = :v${at}`);
    await this.#database.dynamodb.send(
      new UpdateItemCommand({
        TableName: this.store.apiKeysTable,
        Key: { ownerHash: { S: hashOwnerPart(apiKey) } },
        UpdateExpression: `SET ${sets.join(', ')}`,
        ...(isOfKey && {
          ExpressionAttributeNames: { '#keys': 'keys', '#key': hashToken(apiKey) },
        }),
        ExpressionAttributeValues: Object.fromEntries(
          entries.map(([, value], at) => [`:v${at}`, { N: String(value) }]),
        ),
      }),
    );
  }

  /** The same stage, whose writes fail from the given one on, before or after they are done. */
  failingAt(write: number, when: 'before' | 'after', times = 1): KeyStore {
    let count = 0;
    const send: Send = async (command) => {
      const isWrite = /^(Put|Update|Delete)/.test(command.constructor.name);
      const fails = isWrite && ++count >= write && count < write + times;
      if (fails && when === 'before') throw new Error('connection lost');
      const answer = await (this.store.documents.send as Send)(command);
      if (fails) throw new Error('connection lost');
      return answer;
    };
    const documents = new Proxy(this.store.documents, {
      get: (target, name) =>
        name === 'send' ? send.bind(undefined) : Reflect.get(target, name, target),
    });
    return { ...this.store, documents };
  }
}
