import { expect } from '@jest/globals';

/** A place, such as a file, and the facts that it states, each as a text. Duplicates count once. */
export type Statement = readonly [place: string, facts: Iterable<string>];

/**
 * Expects that two places state the same facts. Each difference names the place to change, the fact that is missing
 * there, and the place that has the fact.
 */
export function expectAgreement(one: Statement, other: Statement): void {
  expect([...missing(one, other), ...missing(other, one)]).toEqual([]);
}

/** Expects that the second place states every fact that the first place states. */
export function expectContained(part: Statement, whole: Statement): void {
  expect(missing(part, whole)).toEqual([]);
}

function missing([place, facts]: Statement, [other, others]: Statement): string[] {
  const known = new Set(others);
  return [...new Set(facts)]
    .filter((fact) => !known.has(fact))
    .map((fact) => `${other} lacks "${fact}", which is in ${place}`);
}
