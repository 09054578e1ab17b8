import type { Measurement } from './figures.ts';
import { median } from './workbench/interleave.ts';

/** The median of one figure over several results. */
export function medianOf<Figure extends string>(
  results: readonly Record<Figure, number>[],
  figure: Figure,
): number {
  return median(results.map((result) => result[figure]));
}

/**
 * The lines of a table with the median of each figure for each contestant.
 *
 * @param contestants the title of each contestant
 * @param rows the figures, each with its label, its name in the results, and its unit
 */
export function mediansOf<Name extends string, Figure extends string>(
  contestants: Record<Name, string>,
  results: Record<Name, readonly Record<Figure, number>[]>,
  rows: readonly [label: string, figure: Figure, unit: string][],
): Measurement[] {
  return (Object.keys(contestants) as Name[]).flatMap((name) =>
    rows.map(([label, figure, unit]) => {
      const what = `${contestants[name]}: ${label}`;
      return { what, value: medianOf(results[name], figure), unit };
    }),
  );
}
