import { randomUUID } from 'node:crypto';
import {
  type AttributeValue,
  DynamoDBClient,
  GetItemCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { expect } from '@jest/globals';
import { issueKey, type KeyRequest } from '../../admin/keys/issue-key.ts';
import type { IssuedKey } from '../../admin/keys/key-draft.ts';
import { documentClient, type KeyStore } from '../../admin/stage/key-store.ts';
import { keyGateway } from '../../demo/demo-keys.ts';
import { hashOwnerPart, hashToken } from '../../lambdas/shared/api-key.ts';
import { clockToleranceSeconds } from '../../lambdas/shared/windows.ts';
import { type PlanName, planNames } from '../../lib/settings/plans.ts';
import { type LocalService, startLocalService } from '../../local/server.ts';
import { HttpClient, type TextAnswer } from '../../smoke/stage/http-client.ts';
import { rateLimitFieldDifferences } from '../../smoke/stage/rate-limit-fields.ts';
import { serverSeconds } from '../../smoke/stage/stage.ts';
import { type StageName, templateFile } from '../helpers/synthesized.ts';

export interface Order {
  /** Digits: a JavaScript number could not hold each of them. */
  readonly id: string;
  readonly status: string;
  /** An attribute that is not published. */
  readonly note?: string;
}

export interface StoreOptions {
  /** @default staging */
  readonly stage?: StageName;
  /** @default - the synthesized one */
  readonly templateFile?: string;
  /** @default - an embedded one of its own */
  readonly dynamodbEndpoint?: string;
  /** Where the tests look at the data, when the service is given a way around. @default - the same */
  readonly dataEndpoint?: string;
}

export interface Call {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const orderFields = { petId: { N: '7' }, quantity: { N: '2' }, complete: { BOOL: false } };
const shipDate = '2026-11-20T09:30:00Z';
const transactionMaxItems = 100;
const attributesOfKey = new Set(['bannedUntil', 'rejectionWindow', 'rejectionCount', 'expiresAt']);

/** The synthesized service, its tables empty, with what tests do to it. */
export class RunningStore implements AsyncDisposable {
  readonly service: LocalService;
  readonly client: HttpClient;
  /** What the functions and the gateway have logged. */
  readonly lines: readonly string[];
  readonly #dynamodb: DynamoDBClient;
  readonly #keys: KeyStore;

  static async start(options: StoreOptions = {}): Promise<RunningStore> {
    const { stage = 'staging', dynamodbEndpoint } = options;
    const lines: string[] = [];
    const service = await startLocalService({
      templateFile: options.templateFile ?? templateFile(stage),
      assetsManifestFile: templateFile(stage).replace('.template.', '.assets.'),
      stackName: `StoreOrders-${stage}`,
      ...(dynamodbEndpoint && { dynamodbEndpoint }),
      log: (line) => lines.push(line),
    });
    return new RunningStore(service, stage, lines, options.dataEndpoint);
  }

  private constructor(
    service: LocalService,
    stage: StageName,
    lines: readonly string[],
    dataEndpoint = service.dynamodbEndpoint,
  ) {
    this.service = service;
    this.lines = lines;
    this.client = new HttpClient(new URL(this.baseUrl), 20_000);
    this.#dynamodb = new DynamoDBClient({
      endpoint: dataEndpoint,
      region: 'us-east-1',
      credentials,
    });
    this.#keys = {
      documents: documentClient(this.#dynamodb),
      gateway: keyGateway(service.controlPlane),
      apiKeysTable: this.apiKeysTable,
      ownersTable: service.outputs.OwnersTableName!,
      usagePlanIds: usagePlanIds(service.outputs),
      stackName: `StoreOrders-${stage}`,
      tokenPrefix: stage === 'prod' ? 'so_live_' : 'so_test_',
      now: Date.now,
    };
  }

  get baseUrl(): string {
    return `${this.service.origin}/${this.service.stage}/v1`;
  }

  get ordersTable(): string {
    return this.service.outputs.OrdersTableName!;
  }

  get apiKeysTable(): string {
    return this.service.outputs.ApiKeysTableName!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client.close();
    this.#dynamodb.destroy();
    await this.service.close();
  }

  /** A key of a new owner, in a minute that is still to come: no test meets the end of one half-way. */
  async issue(plan: PlanName = 'enterprise', rest: Partial<KeyRequest> = {}): Promise<IssuedKey> {
    const limits = plan === 'enterprise' ? { perMinute: 60_000, perDay: 10_000_000 } : {};
    const owner = `e2e ${randomUUID()}`;
    const key = await issueKey({ plan, owner, ...limits, ...rest }, this.#keys);
    await this.setCounters(key, { minuteWindow: nextMinute(), dayWindow: currentDay() });
    return key;
  }

  /** One more key of a key's owner. */
  issueAnother({ ownerId }: IssuedKey): Promise<IssuedKey> {
    return issueKey({ owner: ownerId }, this.#keys);
  }

  /** Brings an owner or a key into a state that takes a minute, a day or a misbehaving client. */
  async setCounters({ apiKey }: IssuedKey, values: Record<string, number>): Promise<void> {
    const names = Object.keys(values);
    const isOfKey = names.some((name) => attributesOfKey.has(name));
    const pathOf = (name: string) => (attributesOfKey.has(name) ? `#keys.#key.${name}` : name);
    await this.#update(apiKey, {
      UpdateExpression: `SET ${names.map((name) => `${pathOf(name)} = :${name}`).join(', ')}`,
      ...(isOfKey && { ExpressionAttributeNames: entryNames(apiKey) }),
      ExpressionAttributeValues: Object.fromEntries(
        names.map((name) => [`:${name}`, { N: String(values[name]) }]),
      ),
    });
  }

  setOwnerStatus({ apiKey }: IssuedKey, status: 'active' | 'suspended'): Promise<void> {
    return this.#update(apiKey, {
      UpdateExpression: 'SET #status = :status',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':status': { S: status } },
    });
  }

  /** As the operator's command does it, where the authorizer looks. */
  revoke({ apiKey }: IssuedKey): Promise<void> {
    return this.#update(apiKey, {
      UpdateExpression: 'REMOVE #keys.#key',
      ExpressionAttributeNames: entryNames(apiKey),
    });
  }

  async #update(apiKey: string, update: Partial<UpdateItemCommandInput>): Promise<void> {
    const Key = { ownerHash: { S: hashOwnerPart(apiKey) } };
    const TableName = this.apiKeysTable;
    await this.#dynamodb.send(new UpdateItemCommand({ TableName, Key, ...update }));
  }

  /** As after a wait: both windows of the key's owner have ended. */
  endWindows(key: IssuedKey): Promise<void> {
    return this.setCounters(key, { minuteWindow: thisMinute() - 60, dayWindow: today() - 86_400 });
  }

  /** The item of a key's owner. */
  async ownerItem({ apiKey }: IssuedKey): Promise<Record<string, AttributeValue>> {
    const Key = { ownerHash: { S: hashOwnerPart(apiKey) } };
    const get = new GetItemCommand({ TableName: this.apiKeysTable, Key, ConsistentRead: true });
    return (await this.#dynamodb.send(get)).Item!;
  }

  /** A key's entry in it; undefined when it is revoked. */
  async keyEntry(key: IssuedKey): Promise<Record<string, AttributeValue> | undefined> {
    return (await this.ownerItem(key)).keys!.M![hashToken(key.apiKey)]?.M;
  }

  async orderItem(id: string): Promise<Record<string, AttributeValue>> {
    const get = new GetItemCommand({ TableName: this.ordersTable, Key: { id: { N: id } } });
    return (await this.#dynamodb.send(get)).Item!;
  }

  async putOrders(orders: readonly Order[]): Promise<void> {
    for (let start = 0; start < orders.length; start += transactionMaxItems) {
      const batch = orders.slice(start, start + transactionMaxItems);
      const TransactItems = batch.map((order) => ({
        Put: { TableName: this.ordersTable, Item: orderItem(order) },
      }));
      await this.#dynamodb.send(new TransactWriteItemsCommand({ TransactItems }));
    }
  }

  /** @param path below the base URL, sent as it is */
  call(method: string, path: string, { token, headers, body }: Call = {}): Promise<TextAnswer> {
    return this.client.sendForText({
      method,
      path,
      headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
      ...(body !== undefined && { body }),
    });
  }

  list(token?: string): Promise<TextAnswer> {
    return this.call('GET', '/store/orders', { token });
  }

  cancel(id: string, token?: string): Promise<TextAnswer> {
    return this.call('DELETE', `/store/orders/${id}`, { token });
  }
}

export const thisMinute = () => Math.floor(Date.now() / 60_000) * 60;
export const nextMinute = () => thisMinute() + 60;
export const today = () => Math.floor(Date.now() / 86_400_000) * 86_400;

/** The day that is current, or begins within the minutes that a window may lie ahead. */
export function currentDay(): number {
  const inFiveMinutes = Date.now() / 1_000 + clockToleranceSeconds;
  return Math.floor(inFiveMinutes / 86_400) * 86_400;
}

/** The one value of a header; fails when it is missing or was sent twice. */
export function headerOf({ headers }: Pick<TextAnswer, 'headers'>, name: string): string {
  const values = headers.get(name) ?? [];
  expect([name, values.length]).toEqual([name, 1]);
  return values[0]!;
}

/**
 * The rate-limit headers as numbers; fails when one is missing, doubled or no whole number, and when
 * the headers that name both windows say otherwise.
 */
export function rateLimitOf(answer: Pick<TextAnswer, 'headers'>) {
  const number = (name: string) => {
    const value = headerOf(answer, `x-ratelimit-${name}`);
    expect(value).toMatch(/^\d+$/);
    return Number(value);
  };
  expect(rateLimitFieldDifferences(answer, serverSeconds(answer))).toEqual([]);
  return { limit: number('limit'), remaining: number('remaining'), reset: number('reset') };
}

/** Asserts that an answer is an Error: its status, its code, its shape. */
export function expectError(answer: TextAnswer, status: number, code: string): void {
  const body = JSON.parse(answer.text);
  expect({ ...body, http: answer.status }).toEqual({
    code,
    status,
    message: expect.stringMatching(/^[A-Z].{9,}\.$/),
    http: status,
  });
  expect(headerOf(answer, 'content-type')).toBe('application/json');
  rateLimitOf(answer);
}

function entryNames(apiKey: string): Record<string, string> {
  return { '#keys': 'keys', '#key': hashToken(apiKey) };
}

function orderItem({ id, status, note }: Order): Record<string, AttributeValue> {
  const internal = { status: { S: status }, ...(note !== undefined && { note: { S: note } }) };
  return { id: { N: id }, ...orderFields, shipDate: { S: shipDate }, ...internal };
}

function usagePlanIds(outputs: Readonly<Record<string, string>>): KeyStore['usagePlanIds'] {
  const ids = planNames.map((plan) => {
    const name = `UsagePlanId${plan.charAt(0).toUpperCase()}${plan.slice(1)}`;
    return [plan, outputs[name]!];
  });
  return Object.fromEntries(ids);
}
