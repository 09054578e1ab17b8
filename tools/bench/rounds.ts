/** The measurements of one contestant in each round. */
export type Rounds<Name extends string> = readonly Readonly<Record<Name, number>>[];

/** Measures all contestants in turn in each round, so that other load on the machine affects them equally. */
export async function interleave<Name extends string, Contestant, Result>(
  rounds: number,
  contestants: Readonly<Record<Name, Contestant>>,
  measure: (contestant: Contestant) => Promise<Result>,
): Promise<Record<Name, Result[]>> {
  const results: Record<string, Result[]> = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, contestant] of Object.entries<Contestant>(contestants)) {
      results[name] = [...(results[name] ?? []), await measure(contestant)];
    }
  }
  return results;
}

/** The median of one value of a contestant. */
export function medianOf<Name extends string>(rounds: Rounds<Name>, name: Name): number {
  return median(rounds.map((values) => values[name]));
}

/** The median of the ratios of all rounds. Within a round, other load affects both contestants alike. */
export function medianRatio<Name extends string>(
  ours: Rounds<Name>,
  peers: Rounds<Name>,
  name: Name,
): number {
  return median(ours.map((values, round) => values[name] / peers[round]![name]));
}

/** The value in the middle. For an even number of values, the larger of the two values in the middle. */
function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
