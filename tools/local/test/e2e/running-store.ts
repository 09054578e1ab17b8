import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { runInThisContext } from 'node:vm';
import { BatchWriteItemCommand } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { hashOwnerPart, hashToken } from '../../../../lambdas/keys/api-key.ts';
import type { Limits } from '../../../../lambdas/keys/plan.ts';
import { stackName } from '../../../../lib/settings/names.ts';
import { type PlanName, plans } from '../../../../lib/settings/plans.ts';
import { DynamodbProxy } from '../../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { startDynamoDb } from '../../../../test/helpers/dynamodb/embedded-dynamodb.ts';
import { orderItem } from '../../../../test/helpers/dynamodb/orders.ts';
import { templateFile } from '../../../../test/helpers/synthesized.ts';
import { issueKey, type KeyRequest } from '../../../admin/keys/issue.ts';
import type { IssuedKey } from '../../../admin/keys/new-key.ts';
import { createOwner } from '../../../admin/owners/create.ts';
import { keyStage } from '../../../admin/stage/key-stage.ts';
import { senderTo } from '../../../smoke/stage/http-client.ts';
import { startLocalService } from '../aws/local-service.ts';

/** An order to store: its id as text, because a JavaScript number would round it, and further texts. */
type Order = Readonly<Record<string, string> & { id: string }>;

// The client does not give up, however slow the machine is or however long a test lets it pause. The
// tests have shorter time limits.
const clientTimeoutMs = 600_000;

// Functions wait for DynamoDB for as long as a busy machine may stand still: a request that is given up and sent
// again is counted twice.
const patience = 20;
// Pauses between attempts are shorter than this, time limits longer.
const shortestLimitMs = 900;

export type RunningStore = Awaited<ReturnType<typeof startStore>>;

/**
 * Starts the synthesized service with empty tables. It uses its database through a proxy, in which a test
 * can cause faults.
 *
 * @param now the clock of the service and its functions, in milliseconds since the epoch
 */
export async function startStore(now = Date.now) {
  const restoreTimeLimits = lengthenTimeLimits();
  const database = await startDynamoDb();
  const proxy = await DynamodbProxy.before(database.endpoint);
  const service = await startLocalService({
    templateFile: templateFile('staging'),
    stackName: stackName('staging'),
    dynamodbEndpoint: proxy.url,
    now,
    log: () => {},
  });
  const baseUrl = service.outputs.BaseUrl!;
  const ordersTable = service.outputs.OrdersTableName!;
  /** The stage for the operator's commands. */
  const keys = keyStage('staging', (name) => service.outputs[name]!, {
    dynamodb: database.dynamodb,
    gateway: service.controlPlane,
    now,
    operator: 'e2e',
  });

  /**
   * Issues a key of a new owner. Its windows are in a minute that has not started, so that no minute
   * ends during a test.
   */
  async function issue(
    plan: PlanName = 'enterprise',
    { perMinute, perDay }: Limits = plans.enterprise,
    options: Omit<KeyRequest, 'owner'> = {},
  ): Promise<IssuedKey> {
    const name = `e2e ${randomUUID()}`;
    await createOwner({ name, plan, ...(plan === 'enterprise' && { perMinute, perDay }) }, keys);
    const key = await issueKey({ owner: name, ...options }, keys);
    await setCounters(key, { minuteWindow: lastingMinute(now()), dayWindow: today(now()) });
    return key;
  }

  /**
   * Sets an owner's counters, or its key's ban, to a state that takes a minute, a day or many rejected
   * requests to reach.
   */
  async function setCounters({ apiKey }: IssuedKey, values: Record<string, number>): Promise<void> {
    const isBan = 'bannedUntil' in values;
    const updates = Object.keys(values).map(
      (name) => `${isBan ? '#keys.#key.' : ''}${name} = :${name}`,
    );
    await keys.documents.send(
      new UpdateCommand({
        TableName: service.outputs.ApiKeysTableName,
        Key: { ownerHash: hashOwnerPart(apiKey) },
        UpdateExpression: `SET ${updates.join(', ')}`,
        ...(isBan && { ExpressionAttributeNames: { '#keys': 'keys', '#key': hashToken(apiKey) } }),
        ExpressionAttributeValues: Object.fromEntries(
          Object.entries(values).map(([name, value]) => [`:${name}`, value]),
        ),
      }),
    );
  }

  async function putOrders(orders: readonly Order[]): Promise<void> {
    const puts = orders.map(({ id, ...texts }) => {
      const attributes = Object.entries(texts).map(([name, S]) => [name, { S }]);
      return { PutRequest: { Item: orderItem(id, Object.fromEntries(attributes)) } };
    });
    // DynamoDB accepts 25 items a call. All calls at once would make the SDK warn on a slow machine.
    while (puts.length > 0) {
      const RequestItems = { [ordersTable]: puts.splice(0, 25) };
      await database.dynamodb.send(new BatchWriteItemCommand({ RequestItems }));
    }
  }

  return {
    service,
    database,
    proxy,
    baseUrl,
    ordersTable,
    keys,
    send: senderTo(new URL(baseUrl), clientTimeoutMs),
    issue,
    setCounters,
    putOrders,
    async [Symbol.asyncDispose]() {
      await service.close();
      await proxy[Symbol.asyncDispose]();
      await database.stop();
      restoreTimeLimits();
    },
  };
}

/** A minute that a faster clock can have begun. It is the current one for at least four minutes. */
export const lastingMinute = (nowMs = Date.now()) => Math.floor(nowMs / 60_000) * 60 + 240;
export const today = (nowMs = Date.now()) => Math.floor(nowMs / 86_400_000) * 86_400;

/** Lengthens the time limits of functions in this process. Returns what undoes it. */
function lengthenTimeLimits(): () => void {
  const { prototype } = Socket;
  const { setTimeout: setSocketTimeout } = prototype;
  // The timers of the main context are replaced, because functions do not run in the context of Jest's test files.
  const globals = runInThisContext('globalThis');
  const { setTimeout: systemSetTimeout } = globals;
  globals.setTimeout = new Proxy(systemSetTimeout, {
    apply: (target, self, [callback, delayMs, ...values]) =>
      Reflect.apply(target, self, [callback, longer(delayMs), ...values]),
  });
  prototype.setTimeout = function (delayMs, callback) {
    return setSocketTimeout.call(this, longer(delayMs), callback);
  };
  return () => {
    globals.setTimeout = systemSetTimeout;
    prototype.setTimeout = setSocketTimeout;
  };
}

const longer = (delayMs: number) => (delayMs >= shortestLimitMs ? patience * delayMs : delayMs);
