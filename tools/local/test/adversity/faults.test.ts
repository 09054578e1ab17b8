import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { captureLines } from '../../../../test/helpers/captured-lines.ts';
import {
  type EmbeddedDynamoDb,
  startDynamoDb,
} from '../../../../test/helpers/dynamodb/embedded-dynamodb.ts';
import { timedViolations, violations } from './invariants.ts';
import { planOf, runSeed } from './seed-run.ts';
import {
  quickenTimeLimits,
  type ServiceInThread,
  startServiceInThread,
} from './service-in-thread.ts';

/*
 * The functions before a DynamoDB that delays, refuses, throttles, resets, truncates or hangs, or loses its
 * answers after the write: for 1 % to 100 % of the requests, as the number of a seed determines. A seed that
 * violates an invariant is printed with the command that runs it again. `FAULT_SEEDS=1000` runs a thousand.
 */

const { ADVERSITY, FAULT_SEED, FAULT_SEEDS } = process.env;
const count = Number(FAULT_SEEDS ?? (ADVERSITY === 'nightly' ? 1_000 : 200));
const seeds = FAULT_SEED
  ? [Number(FAULT_SEED)]
  : Array.from({ length: count }, (_, index) => index + 1);

// Several services run at a time, because one whose database hangs only waits.
const servicesAtOnce = Math.min(seeds.length, 16);
const mostShown = 10;
/** If a timer of this thread is later than this, the machine is too slow to check time limits. */
const stallMs = 100;
/** How often a seed is run if the machine or the database was too slow during its runs. */
const mostAttempts = 3;
const again = 'npm test -- test/adversity/faults --selectProjects faults';

let database: EmbeddedDynamoDb;
let endQuickTime: () => void;
const log = captureLines();
const services: ServiceInThread[] = [];

beforeAll(async () => {
  database = await startDynamoDb();
  for (let index = 0; index < servicesAtOnce; index++) {
    services.push(await startServiceInThread(database));
  }
  endQuickTime = quickenTimeLimits();
});

afterAll(async () => {
  endQuickTime?.();
  for (const { dynamodb } of services) await dynamodb[Symbol.asyncDispose]();
  await database?.stop();
  log.release();
});

describe('the service before a database that fails', () => {
  it('keeps its invariants under the faults of any seed', async () => {
    const left = seeds.toReversed();
    const found: string[] = [];

    await Promise.all(
      services.map(async (service) => {
        for (let seed = left.pop(); seed !== undefined; seed = left.pop()) {
          if (found.length >= mostShown) return;
          found.push(...(await violationsOf(seed, service)));
        }
      }),
    );

    expect(found.slice(0, mostShown)).toEqual([]);
  }, 3_600_000);
});

/** Returns the violations of a seed's run, each with the command that runs the seed again. */
async function violationsOf(seed: number, service: ServiceInThread): Promise<string[]> {
  let found: string[] = [];
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    using stalls = watchStalls();
    const { unplannedFaults } = service.dynamodb;
    const record = await runSeed(seed, service);
    found = violations(record);
    const timed = timedViolations(record);
    const isOnTime = stalls.count() === 0 && service.dynamodb.unplannedFaults === unplannedFaults;
    if (isOnTime) found.push(...timed);
    if (found.length > 0 || timed.length === 0 || isOnTime) break;
  }
  const { rate, kinds } = planOf(seed).mixture;
  const how = `${100 * rate} % of ${kinds.join(', ')}; again: FAULT_SEED=${seed} ${again}`;
  return found.map((violation) => `seed ${seed}: ${violation} (${how})`);
}

function watchStalls() {
  let stalls = 0;
  let beatAtMs = performance.now();
  const beat = setInterval(() => {
    if (performance.now() - beatAtMs > stallMs) stalls++;
    beatAtMs = performance.now();
  }, 20);
  return { count: () => stalls, [Symbol.dispose]: () => clearInterval(beat) };
}
