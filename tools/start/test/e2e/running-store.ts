import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
  type AttributeValue,
  type DynamoDBClient,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { hashOwnerPart, hashToken } from '../../../../lambdas/domain/api-key.ts';
import { type PlanName, plans } from '../../../../lib/settings/plans.ts';
import { orderItem } from '../../../../test/helpers/dynamodb/orders.ts';
import { type IssuedKey, issueKey, type NewKey } from '../../../admin/keys/issue-key.ts';
import { createOwner } from '../../../admin/owners/create-owner.ts';
import type { OwnerLimits } from '../../../admin/owners/owner-limits.ts';
import { documentClient, type KeyStage, keyStageOf } from '../../../admin/stage/key-stage.ts';
import { keyGateway } from '../../../local/control-plane/key-gateway.ts';
import { localDynamoDbClient } from '../../../local/dynamodb/local-client.ts';
import { type LocalService, startLocalService } from '../../../local/server.ts';
import { type Send, senderTo } from '../../../smoke/stage/http-client.ts';
import { patient, preloading, templateWithFunctions } from './template-with-functions.ts';

export interface Order {
  /** The id as text, because a JavaScript number would round it. */
  readonly id: string;
  readonly status: string;
  /** An attribute that is not published. */
  readonly neverUsed?: string;
}

interface StoreOptions {
  /** @default - the synthesized template, with functions that load a file */
  readonly templateFile?: string;
  /** The CommonJS file that Node loads before a function. @default - patient-function.cjs */
  readonly preload?: string;
  /** @default - that of `DYNAMODB_ENDPOINT`, or a new embedded one */
  readonly dynamodbEndpoint?: string;
  /** The DynamoDB for the tests' own access, if it is another one. @default - the service's endpoint */
  readonly dataEndpoint?: string;
  /** The clock of the service except its functions, in milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
}

const patientFunction = join(import.meta.dirname, 'patient-function.cjs');
const transactionMaxItems = 100;
// The client does not give up, however slow the machine is or however long a test lets it pause. The
// tests have shorter time limits.
const clientTimeoutMs = 600_000;

/** The synthesized service with empty tables, and operations on it for tests. */
export class RunningStore implements AsyncDisposable {
  readonly service: LocalService;
  readonly send: Send;
  /** The log lines of the functions and the gateway. */
  readonly lines: string[];
  readonly #dynamodb: DynamoDBClient;
  readonly #now: () => number;
  /** The stage for the operator's commands. */
  readonly keys: KeyStage;

  static async start(options: StoreOptions = {}): Promise<RunningStore> {
    const { preload = patientFunction, dynamodbEndpoint = process.env.DYNAMODB_ENDPOINT } = options;
    const lines: string[] = [];
    const service = await startLocalService({
      templateFile: options.templateFile ?? templateWithFunctions(preloading(preload), patient),
      stackName: 'StoreOrders-staging',
      ...(dynamodbEndpoint && { dynamodbEndpoint }),
      now: options.now,
      log: (line) => lines.push(line),
    });
    return new RunningStore(service, lines, options);
  }

  private constructor(
    service: LocalService,
    lines: string[],
    { dataEndpoint = service.dynamodbEndpoint, now = Date.now }: StoreOptions,
  ) {
    this.service = service;
    this.lines = lines;
    this.#now = now;
    this.send = senderTo(new URL(this.baseUrl), clientTimeoutMs);
    this.#dynamodb = localDynamoDbClient(dataEndpoint, service.operatorAccessKeyId);
    this.keys = {
      ...keyStageOf('staging', (name) => service.outputs[name]!),
      documents: documentClient(this.#dynamodb),
      gateway: keyGateway(service.controlPlane),
      now,
      operator: async () => 'e2e',
    };
  }

  get baseUrl(): string {
    return this.service.outputs.BaseUrl!;
  }

  get ordersTable(): string {
    return this.service.outputs.OrdersTableName!;
  }

  get apiKeysTable(): string {
    return this.service.outputs.ApiKeysTableName!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#dynamodb.destroy();
    await this.service.close();
  }

  /**
   * Issues a key of a new owner. Its windows are in a minute that has not started, so that no minute
   * ends during a test.
   */
  async issue(
    plan: PlanName = 'enterprise',
    own: OwnerLimits = plans.enterprise,
    traits: Omit<NewKey, 'owner'> = {},
  ): Promise<IssuedKey> {
    const { perMinute, perDay } = own;
    const limits = plan === 'enterprise' ? { perMinute, perDay } : {};
    const name = `e2e ${randomUUID()}`;
    await createOwner({ name, plan, ...limits }, this.keys);
    const key = await issueKey({ owner: name, ...traits }, this.keys);
    await this.setCounters(key, {
      minuteWindow: lastingMinute(this.#now()),
      dayWindow: today(this.#now()),
    });
    return key;
  }

  /**
   * Sets an owner's counters, or its key's ban, to a state that takes a minute, a day or many rejected
   * requests to reach.
   */
  async setCounters({ apiKey }: IssuedKey, values: Record<string, number>): Promise<void> {
    const names = Object.keys(values);
    const isBan = names.includes('bannedUntil');
    const parent = isBan ? '#keys.#key.' : '';
    await this.#dynamodb.send(
      new UpdateItemCommand({
        TableName: this.apiKeysTable,
        Key: { ownerHash: { S: hashOwnerPart(apiKey) } },
        UpdateExpression: `SET ${names.map((name) => `${parent}${name} = :${name}`).join(', ')}`,
        ...(isBan && {
          ExpressionAttributeNames: { '#keys': 'keys', '#key': hashToken(apiKey) },
        }),
        ExpressionAttributeValues: Object.fromEntries(
          names.map((name) => [`:${name}`, { N: String(values[name]) }]),
        ),
      }),
    );
  }

  async putOrders(orders: readonly Order[]): Promise<void> {
    for (let start = 0; start < orders.length; start += transactionMaxItems) {
      const batch = orders.slice(start, start + transactionMaxItems);
      const TransactItems = batch.map((order) => ({
        Put: { TableName: this.ordersTable, Item: storedItem(order) },
      }));
      await this.#dynamodb.send(new TransactWriteItemsCommand({ TransactItems }));
    }
  }
}

const thisMinute = (nowMs = Date.now()) => Math.floor(nowMs / 60_000) * 60;
/** A minute that a faster clock can have begun. It is the current one for at least four minutes. */
export const lastingMinute = (nowMs?: number) => thisMinute(nowMs) + 240;
export const today = (nowMs = Date.now()) => Math.floor(nowMs / 86_400_000) * 86_400;

function storedItem({ id, status, neverUsed }: Order): Record<string, AttributeValue> {
  return orderItem(id, {
    status: { S: status },
    ...(neverUsed && { neverUsed: { S: neverUsed } }),
  });
}
