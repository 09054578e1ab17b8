import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RunningStore } from '../../e2e/running-store.ts';
import { DynamodbProxy, unanswered } from '../../helpers/dynamodb/dynamodb-proxy.ts';
import { type EmbeddedDynamoDb, startDynamoDb } from '../../helpers/dynamodb/embedded-dynamodb.ts';
import { templateFile } from '../../helpers/synthesized.ts';

/** Many more than all execution environments can begin before the first has waited too long. */
const requestsAtOnce = 280;
const environmentsAtMost = 3 * availableParallelism();
/** A request waits 10 s at most for an execution environment, and 29 s at most for a function. */
const longestMs = 29_000 + 10_000;

let database: EmbeddedDynamoDb;
let proxy: DynamodbProxy;
let store: RunningStore;

beforeAll(async () => {
  database = await startDynamoDb();
  proxy = await DynamodbProxy.before(database.endpoint);
  store = await RunningStore.start({
    templateFile: templateFile('staging'),
    dynamodbEndpoint: proxy.url,
    dataEndpoint: database.endpoint,
    clientTimeoutMs: 2 * longestMs,
  });
});

afterAll(async () => {
  await store?.[Symbol.asyncDispose]();
  await proxy?.[Symbol.asyncDispose]();
  await database?.stop();
});

describe('a table of orders that never answers', () => {
  it('has each of many requests refused in time, and begins none that was given up', async () => {
    const ids = Array.from({ length: requestsAtOnce }, (_, index) => String(index + 1));
    await store.putOrders(ids.map((id) => ({ id, status: 'pending' })));
    const { apiKey } = await store.issue();
    await store.list(apiKey);
    proxy.faults.set(store.ordersTable, unanswered);
    const beganAtMs = performance.now();
    const answeredAt = new Map<string, string>();
    const cancel = async (id: string) => {
      const { status } = await store.cancel(id, apiKey);
      answeredAt.set(id, new Date().toISOString());
      return status;
    };

    const statuses = await Promise.all(ids.map(cancel));
    const tookMs = performance.now() - beganAtMs;
    proxy.faults.clear();
    const next = await store.call('DELETE', '/store/orders/999', { token: apiKey });
    await proxy.isAtRest();

    expect(statuses.filter((status) => status !== 503 && status !== 504)).toEqual([]);
    expect(tookMs).toBeLessThan(longestMs);
    expect(next.status).toBe(404);
    const stored = await database.readAll(store.ordersTable);
    // API Gateway gives a request up and leaves its function running, which may still write then.
    // An environment that has just been handed a request may begin it a moment after that.
    const begunLate = stored.filter(
      ({ id, cancelledAt }) => (cancelledAt?.S ?? '') > answeredAt.get(id!.N!)!,
    );
    expect(begunLate.length).toBeLessThanOrEqual(environmentsAtMost);
  });
});
