/** What a place states, such as a file: one text for each fact. What it states twice counts once. */
export type Statement = readonly [place: string, facts: Iterable<string>];

/**
 * Compares two places that must agree. Each difference names the place to change, what it lacks, and
 * where that was found.
 */
export function differences(one: Statement, other: Statement): string[] {
  return [...missing(one, other), ...missing(other, one)];
}

/** What the second place must have and lacks, each with a text like those of `differences`. */
export function missing([place, facts]: Statement, [other, others]: Statement): string[] {
  const known = new Set(others);
  return [...new Set(facts)]
    .filter((fact) => !known.has(fact))
    .map((fact) => `${other} lacks "${fact}", which is in ${place}`);
}
