import { StallWatch } from '../stalls.ts';
import { violations } from './invariants.ts';
import { planOf } from './seed-plan.ts';
import { runSeed } from './seed-run.ts';
import type { StoreUnderFaults } from './store-under-faults.ts';

const { ADVERSITY, FAULT_SEED, FAULT_SEEDS } = process.env;
const again = 'npm test -- test/adversity/faults --selectProjects faults';
/** The maximum number of runs of a seed. A run is repeated if this thread was stalled meanwhile. */
const mostAttempts = 10;

/** The seeds to run. `FAULT_SEED` selects a single one, and `FAULT_SEEDS` sets their number. */
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
 * Runs seeds, one at a time in each store, and checks the invariants.
 *
 * @returns the violations, each with the command that runs its seed again
 */
export async function checkSeeds(
  seeds: readonly number[],
  stores: readonly StoreUnderFaults[],
): Promise<string[]> {
  using watch = new StallWatch();
  const left = [...seeds].reverse();
  const found: string[] = [];
  const work = async (store: StoreUnderFaults) => {
    for (let seed = left.pop(); seed !== undefined; seed = left.pop()) {
      found.push(...(await checkSeed(seed, store, watch)));
    }
  };
  await Promise.all(stores.map(work));
  return found;
}

async function checkSeed(
  seed: number,
  store: StoreUnderFaults,
  watch: StallWatch,
): Promise<string[]> {
  let found: string[] = [];
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const startedAtMs = performance.now();
    found = violations(await runSeed(seed, store), store);
    if (found.length === 0 || !watch.hasStalledSince(startedAtMs)) break;
  }
  const { rate, kinds } = planOf(seed).mixture;
  const how = `${100 * rate} % of ${kinds.join(', ')}; again: FAULT_SEED=${seed} ${again}`;
  return found.map((violation) => `seed ${seed}: ${violation} (${how})`);
}
