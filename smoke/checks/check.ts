import type { Stage } from '../stage/stage.ts';

/** One thing that a stage must do. */
export interface Check {
  readonly group: string;
  readonly title: string;
  /** What differs from the contract, in words; nothing where all is well. */
  readonly run: (stage: Stage) => Promise<string[]>;
}

/** Thrown by a check that cannot be made here. */
export class CheckSkipped extends Error {}

/** The checks of one group, as titles and what they do. */
export function checksOf(group: string, checks: Readonly<Record<string, Check['run']>>): Check[] {
  return Object.entries(checks).map(([title, run]) => ({ group, title, run }));
}

/**
 * Differences of several answers: what many of them have in common is said once, with where it is.
 *
 * @param found the differences of each answer, by what it is called
 */
export function inAnyOf(found: readonly (readonly [string, readonly string[]])[]): string[] {
  const pairs = found.flatMap(([name, differences]) =>
    differences.map((difference) => ({ name, difference })),
  );
  const byDifference = Map.groupBy(pairs, ({ difference }) => difference);
  return [...byDifference].map(
    ([difference, at]) => `${difference} (${at.map(({ name }) => name).join(', ')})`,
  );
}
