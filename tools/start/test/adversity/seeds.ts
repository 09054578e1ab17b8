import { timedViolations, violations } from './invariants.ts';
import { planOf, runSeed } from './seed-run.ts';
import type { ServiceInThread } from './service-in-thread.ts';

/** If a timer of this thread is later than this, the machine is too slow to check time limits. */
const stallMs = 100;
/** How often a seed is run if the machine or the database was too slow during its runs. */
const mostAttempts = 3;
const again = 'npm test -- test/adversity/faults --selectProjects faults';

/** Returns the violations of a seed's run, each with the command that runs the seed again. */
export async function violationsOf(seed: number, service: ServiceInThread): Promise<string[]> {
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
