import type { Stage } from '../stage/stage.ts';

/** A check of one aspect of a stage. */
export interface Check {
  readonly group: string;
  readonly title: string;
  /** Returns the differences from the contract as texts; an empty list if there are none. */
  readonly run: (stage: Stage) => Promise<string[]>;
}

/** Thrown by a check that cannot be made on this stage or with this key. */
export class CheckSkipped extends Error {}

/** Creates the checks of one group from their titles and functions. */
export function checksOf(group: string, checks: Readonly<Record<string, Check['run']>>): Check[] {
  return Object.entries(checks).map(([title, run]) => ({ group, title, run }));
}

/**
 * Combines the differences of several answers, so that each is listed once with all its places.
 *
 * @param found the name and the differences of each answer
 */
export function combineDifferences(
  found: readonly (readonly [string, readonly string[]])[],
): string[] {
  const pairs = found.flatMap(([name, differences]) =>
    differences.map((difference) => ({ name, difference })),
  );
  const byDifference = Map.groupBy(pairs, ({ difference }) => difference);
  return [...byDifference].map(
    ([difference, at]) => `${difference} (${at.map(({ name }) => name).join(', ')})`,
  );
}
