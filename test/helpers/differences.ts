/** The facts that a place, such as a file, states, each as a text. Duplicates count once. */
export type Statement = readonly [place: string, facts: Iterable<string>];

/**
 * Compares two places that must agree. Each difference names the place to change, what is missing
 * there, and the place that has it.
 */
export function differences(one: Statement, other: Statement): string[] {
  return [...missing(one, other), ...missing(other, one)];
}

/** The facts of the first place that the second one lacks, as texts like those of `differences`. */
export function missing([place, facts]: Statement, [other, others]: Statement): string[] {
  const known = new Set(others);
  return [...new Set(facts)]
    .filter((fact) => !known.has(fact))
    .map((fact) => `${other} lacks "${fact}", which is in ${place}`);
}
