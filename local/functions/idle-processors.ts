import { cpus } from 'node:os';

// The system counts in hundredths of a second, so a shorter sample is inaccurate. A longer sample
// says little about the present.
const sampleMinMs = 250;
const sampleMaxMs = 1_000;

/**
 * Returns a function for the average number of idle processors in the last 250 ms or more. It has to
 * be called several times a second; the first call after a pause returns 0.
 */
export function watchIdleProcessors(): () => number {
  let last = takeSample();
  let idle = 0;
  return () => {
    const ageMs = performance.now() - last.atMs;
    if (ageMs < sampleMinMs) return idle;
    const next = takeSample();
    idle = ageMs > sampleMaxMs ? 0 : (next.idleMs - last.idleMs) / (next.atMs - last.atMs);
    last = next;
    return idle;
  };
}

/** The idle time of all processors together since the system was started. */
function takeSample(): { readonly atMs: number; readonly idleMs: number } {
  const idleMs = cpus().reduce((sum, { times }) => sum + times.idle, 0);
  return { atMs: performance.now(), idleMs };
}
