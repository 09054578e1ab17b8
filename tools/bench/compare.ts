import type { Comparison, Job } from './comparisons.ts';
import type { Measured } from './workbench.ts';

/**
 * Measures our job and the peer's job in turn, so that other load on the machine affects both equally.
 *
 * @throws Error if their lists differ in bytes, because a list that leaves out orders is shorter and faster
 */
export async function compare(
  { value, rounds, ours, peer, maxRatio, max = Infinity }: Comparison,
  measure: (job: Job) => Promise<Measured>,
) {
  const pairs: { our: number; their: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const our = await measure(ours);
    const their = await measure({ ...ours, ...peer });
    if (our.bytesPerPage !== their.bytesPerPage) throw new Error('The lists differ in bytes.');
    pairs.push({ our: our[value], their: their[value] });
  }
  const median = {
    our: medianOf(pairs.map(({ our }) => our)),
    their: medianOf(pairs.map(({ their }) => their)),
    // Within a round, other load affects both values alike.
    ratio: medianOf(pairs.map(({ our, their }) => our / their)),
  };
  return { ...median, isMet: median.ratio <= maxRatio && median.our <= max };
}

/** The value in the middle. For an even number of values, the larger of the two values in the middle. */
function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
