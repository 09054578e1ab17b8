import { StallWatch } from '../stalls.ts';
import { brokenPromises } from './invariants.ts';
import { planOf } from './seed-plan.ts';
import { runSeed } from './seed-run.ts';
import type { StoreUnderFaults } from './store-under-faults.ts';

const { ADVERSITY, FAULT_SEED, FAULT_SEEDS } = process.env;
const again = 'npm run test:adversity -- test/adversity/faults';
/** Of a seed whose run was disturbed by a machine that stood still. */
const mostAttempts = 10;

/** The seeds of a run: a single one, or so many, where the environment says so. */
export function seedsFor(counts: {
  readonly everyRun: number;
  readonly nightly: number;
}): number[] {
  if (FAULT_SEED) return [Number(FAULT_SEED)];
  const usual = ADVERSITY === 'nightly' ? counts.nightly : counts.everyRun;
  const count = Number(FAULT_SEEDS ?? usual);
  return Array.from({ length: count }, (_, index) => index + 1);
}

/**
 * Runs seeds, one at a time in each store.
 *
 * @returns what they broke, each with the command that runs its seed again
 */
export async function judgeSeeds(
  seeds: readonly number[],
  stores: readonly StoreUnderFaults[],
): Promise<string[]> {
  using watch = new StallWatch();
  const left = [...seeds].reverse();
  const found: string[] = [];
  const work = async (store: StoreUnderFaults) => {
    for (let seed = left.pop(); seed !== undefined; seed = left.pop()) {
      found.push(...(await judge(seed, store, watch)));
    }
  };
  await Promise.all(stores.map(work));
  return found;
}

async function judge(seed: number, store: StoreUnderFaults, watch: StallWatch): Promise<string[]> {
  let broken: string[] = [];
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const beganAtMs = performance.now();
    broken = brokenPromises(await runSeed(seed, store), store);
    if (broken.length === 0 || !watch.hasStalledSince(beganAtMs)) break;
  }
  const { rate, kinds } = planOf(seed).mixture;
  const how = `${100 * rate} % of ${kinds.join(', ')}; again: FAULT_SEED=${seed} ${again}`;
  return broken.map((promise) => `seed ${seed}: ${promise} (${how})`);
}
