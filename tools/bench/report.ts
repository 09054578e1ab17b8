import { type FunctionName, functionNames } from '../../lib/settings/functions.ts';

/** How the names of a function's figures begin: `list` for `listOrders`. */
export function figurePrefix(name: FunctionName): string {
  return name.replace(/Orders?$/, '');
}

const coldTargets = functionNames.map(figurePrefix).flatMap((prefix) => [
  [`${prefix}_cold_vs_default_bundle`, 0.6],
  [`${prefix}_kb`, 200],
]);

/** The figures of the JSON output with their targets, which are maxima. A ratio is ours to a peer's. */
export const targets: Readonly<Record<string, number>> = {
  list_cpu_vs_document_client: 0.13,
  list_cpu_vs_bare_http: 3.2,
  million_peak_rss_mb: 200,
  million_wall_vs_one_segment_at_40ms_pages: 0.35,
  limiter_round_trips: 1,
  limiter_cpu_vs_rate_limiter_flexible: 0.33,
  limiter_over_limit_writes: 1,
  ...Object.fromEntries(coldTargets),
};

/** The results of one job. */
export interface Findings {
  title: string;
  /** The measured figures of each contestant. Their names end with the unit, unless they are counts. */
  measured: Record<string, Record<string, number>>;
  figures: Record<string, number>;
}

/** The median of each figure, by contestant. @param results one per round, by contestant */
export function mediansOf<Name extends string, Figure extends string>(
  results: Record<Name, Record<Figure, number>[]>,
): Record<Name, Record<Figure, number>> {
  const medians = Object.entries<Record<Figure, number>[]>(results).map(([name, rounds]) => {
    const figures = Object.keys(rounds[0]!) as Figure[];
    const valuesOf = (figure: Figure) => rounds.map((round) => round[figure]);
    return [name, Object.fromEntries(figures.map((figure) => [figure, median(valuesOf(figure))]))];
  });
  return Object.fromEntries(medians);
}

/**
 * The median of the ratios of all rounds. Within a round, other load on the machine affects both
 * contestants alike, because one runs right after the other.
 */
export function medianRatio<Figure extends string>(
  ours: Record<Figure, number>[],
  peers: Record<Figure, number>[],
  figure: Figure,
): number {
  return median(ours.map((run, round) => run[figure] / peers[round]![figure]));
}

/** The median; for an even number of values, the mean of the two in the middle. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The names of the figures that miss their target. */
export function missedTargets({ figures }: Findings): string[] {
  return Object.entries(figures)
    .filter(([name, value]) => value > targets[name]!)
    .map(([name]) => name);
}

/** @param isQuick leaves out the targets, because the figures of a quick run mean nothing */
export function printFindings(findings: Findings, output: Console, isQuick: boolean): void {
  const { title, measured, figures } = findings;
  const missed = missedTargets(findings);
  const rows = Object.entries(measured).map(([name, values]) => [name, rounded(values)]);
  const results = Object.entries(rounded(figures)).map(([name, value]) => {
    const verdict = missed.includes(name) ? 'MISSED' : 'met';
    return [name, isQuick ? { value } : { value, target: targets[name], verdict }];
  });
  output.log(`\n${title}`);
  output.table(Object.fromEntries(rows));
  output.table(Object.fromEntries(results));
}

/** The figures as one line of JSON, in the order of `targets`. */
export function renderJson(findings: Findings[]): string {
  const found = Object.assign({}, ...findings.map(({ figures }) => figures));
  return JSON.stringify(rounded(found), Object.keys(targets));
}

function rounded(values: Record<string, number>): Record<string, number> {
  const each = Object.entries(values).map(([name, value]) => [name, Number(value.toPrecision(4))]);
  return Object.fromEntries(each);
}
