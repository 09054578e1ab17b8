import { cpus } from 'node:os';

// The system counts in hundredths of a second: what it says of less time is mostly chance. What it
// says of more time is about the past.
const sampleMinMs = 250;
const sampleMaxMs = 1_000;

interface Sample {
  readonly atMs: number;
  /** Of all processors together, since the system was started. */
  readonly idleMs: number;
}

/**
 * Gives how many of the machine's processors have had nothing to do of late, as a number with a
 * fraction. It has to be asked several times a second: the first answer after a pause is 0.
 */
export function watchIdleProcessors(take: () => Sample = takeSample): () => number {
  let last = take();
  let idle = 0;
  return () => {
    const ageMs = performance.now() - last.atMs;
    if (ageMs < sampleMinMs) return idle;
    const next = take();
    idle = ageMs > sampleMaxMs ? 0 : (next.idleMs - last.idleMs) / (next.atMs - last.atMs);
    last = next;
    return idle;
  };
}

function takeSample(): Sample {
  const idleMs = cpus().reduce((sum, { times }) => sum + times.idle, 0);
  return { atMs: performance.now(), idleMs };
}
