import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { captureLines } from '../../helpers/captured-lines.ts';
import { type EmbeddedDynamoDb, startDynamoDb } from '../../helpers/dynamodb/embedded-dynamodb.ts';
import { violations } from './invariants.ts';
import { planOf, runSeed } from './seed-run.ts';
import { quickenTimeLimits, ServiceInThread } from './service-in-thread.ts';

const { ADVERSITY, FAULT_SEED, FAULT_SEEDS } = process.env;
const again = 'npm test -- test/adversity/faults --selectProjects faults';
const count = Number(FAULT_SEEDS ?? (ADVERSITY === 'nightly' ? 5_000 : 200));
const seeds = FAULT_SEED
  ? [Number(FAULT_SEED)]
  : Array.from({ length: count }, (_, index) => index + 1);

// Several services run at a time, because one whose database hangs only waits.
const servicesAtOnce = Math.min(seeds.length, 16);
/** The time by which a timer of this thread may be late before time limits are no longer meant. */
const stallMs = 100;
/** A run during which the machine stood still is repeated, at most so often. */
const mostAttempts = 3;
const mostShown = 10;

let database: EmbeddedDynamoDb;
let stalls = 0;
let endQuickTime: () => void;
const log = captureLines();
const services: ServiceInThread[] = [];

beforeAll(async () => {
  database = await startDynamoDb();
  for (let index = 0; index < servicesAtOnce; index++) {
    services.push(await ServiceInThread.start(database));
  }
  endQuickTime = quickenTimeLimits();
});

afterAll(async () => {
  endQuickTime?.();
  for (const service of services) await service[Symbol.asyncDispose]();
  await database?.stop();
  log.release();
});

/** Returns the violations of a seed's run, each with the command that runs the seed again. */
async function check(seed: number, service: ServiceInThread): Promise<string[]> {
  let found: string[] = [];
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const stallsBefore = stalls;
    found = violations(await runSeed(seed, service));
    if (found.length === 0 || stalls === stallsBefore) break;
  }
  const { rate, kinds } = planOf(seed).mixture;
  const how = `${100 * rate} % of ${kinds.join(', ')}; again: FAULT_SEED=${seed} ${again}`;
  return found.map((violation) => `seed ${seed}: ${violation} (${how})`);
}

describe('the service before a database that fails', () => {
  it('keeps its invariants under the faults of any seed', async () => {
    let beatAtMs = performance.now();
    const beat = setInterval(() => {
      if (performance.now() - beatAtMs > stallMs) stalls++;
      beatAtMs = performance.now();
    }, 20);
    const left = seeds.toReversed();
    const found: string[] = [];

    await Promise.all(
      services.map(async (service) => {
        for (let seed = left.pop(); seed !== undefined; seed = left.pop()) {
          if (found.length >= mostShown) return;
          found.push(...(await check(seed, service)));
        }
      }),
    );

    clearInterval(beat);
    expect(found.slice(0, mostShown)).toEqual([]);
  }, 3_600_000);
});
