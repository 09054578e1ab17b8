import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 20;
const longestPollMs = 100;

/**
 * Whether a condition becomes true within a time. A pause of this process, or of the whole machine, counts as at most a
 * tenth of a second of this time.
 */
export async function isWithinAwakeMs(
  ms: number,
  isSo: () => boolean | Promise<boolean>,
): Promise<boolean> {
  for (let awakeMs = 0; awakeMs < ms; ) {
    const startedAtMs = performance.now();
    if (await isSo()) return true;
    await sleep(pollMs);
    awakeMs += Math.min(performance.now() - startedAtMs, longestPollMs);
  }
  return isSo();
}
