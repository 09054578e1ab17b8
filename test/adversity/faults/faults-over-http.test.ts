import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EmbeddedDynamoDb, startDynamoDb } from '../../helpers/dynamodb/embedded-dynamodb.ts';
import { startHttpStore } from './http-store.ts';
import { checkSeeds, seedsFor } from './seeds.ts';
import type { StoreUnderFaults } from './store-under-faults.ts';

// The functions have their deployed timeouts, so a seed whose database hangs takes a minute.
const longestMs = 1_800_000;
const seeds = seedsFor({ everyRun: 5, nightly: 100 });

let database: EmbeddedDynamoDb;
let store: StoreUnderFaults;

beforeAll(async () => {
  database = await startDynamoDb();
  store = await startHttpStore(database.endpoint);
});

afterAll(async () => {
  await store?.[Symbol.asyncDispose]();
  await database?.stop();
});

describe('the local service, over HTTP, before a database that fails', () => {
  it(
    'keeps its invariants under the faults of any seed',
    async () => {
      expect(await checkSeeds(seeds, [store])).toEqual([]);
    },
    longestMs,
  );
});
