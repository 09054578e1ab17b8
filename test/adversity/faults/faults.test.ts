import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EmbeddedDynamoDb, startDynamoDb } from '../../helpers/dynamodb/embedded-dynamodb.ts';
import { startInProcessStore } from './in-process-store.ts';
import { buildQuickFunctions } from './quick-functions.ts';
import { checkSeeds, seedsFor } from './seeds.ts';
import type { StoreUnderFaults } from './store-under-faults.ts';

// Several stores run at a time, because a store whose database hangs only waits.
const storesAtOnce = 10;
const longestMs = 3_600_000;
const seeds = seedsFor({ everyRun: 200, nightly: 10_000 });

let database: EmbeddedDynamoDb;
const stores: StoreUnderFaults[] = [];

beforeAll(async () => {
  database = await startDynamoDb();
  const code = await buildQuickFunctions();
  for (let index = 0; index < Math.min(seeds.length, storesAtOnce); index++) {
    stores.push(await startInProcessStore(database.endpoint, code));
  }
});

afterAll(async () => {
  for (const store of stores) await store[Symbol.asyncDispose]();
  await database?.stop();
});

describe('the service before a database that fails', () => {
  it(
    'keeps its invariants under the faults of any seed',
    async () => {
      expect(await checkSeeds(seeds, stores)).toEqual([]);
    },
    longestMs,
  );
});
