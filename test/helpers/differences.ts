/**
 * Compares what two or more places state that must agree. Each difference names the place to change,
 * what it lacks, and where that was found.
 *
 * @param statements by place, such as a file's path; what a place states twice counts once
 */
export function differences(statements: Readonly<Record<string, Iterable<string>>>): string[] {
  const places = Object.entries(statements).map(([place, facts]) => ({
    place,
    facts: new Set(facts),
  }));
  return places.flatMap(({ place, facts }) =>
    places.flatMap((other) =>
      [...facts]
        .filter((fact) => !other.facts.has(fact))
        .map((fact) => `${other.place} lacks "${fact}", which is in ${place}`),
    ),
  );
}
