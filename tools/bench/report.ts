import { type FunctionName, functionNames } from '../../lib/settings/functions.ts';

/** The figures of the JSON output with their targets, which are maxima. A ratio is our value divided by a peer's. */
export const targets: Readonly<Record<string, number>> = {
  list_cpu_vs_document_client: 0.55,
  million_peak_rss_mb: 350,
  million_wall_vs_one_segment_at_40ms_pages: 0.35,
  limiter_round_trips: 1,
  limiter_cpu_vs_rate_limiter_flexible: 0.33,
  limiter_over_limit_writes: 1,
  ...Object.assign({}, ...functionNames.map((name) => coldFigures(name, 0.6, 200))),
};

/** The figures of a function's cold start, such as `list_kb` for the size of `listOrders`. */
export function coldFigures(name: FunctionName, coldVsDefaultBundle: number, kb: number) {
  const figure = name.replace(/Orders?$/, '');
  return { [`${figure}_cold_vs_default_bundle`]: coldVsDefaultBundle, [`${figure}_kb`]: kb };
}

/** The results of one job. */
export interface Findings {
  title: string;
  /** The measured values, by contestant. */
  rounds: Record<string, Rounds>;
  figures: Record<string, number>;
}

/** The measured values of one contestant in each round. Their names end with the unit, unless they are counts. */
type Rounds<ValueName extends string = string> = readonly Record<ValueName, number>[];

/** Measures all contestants in turn in each round, so that other load on the machine affects them equally. */
export async function interleave<Name extends string, Contestant, ValueName extends string>(
  rounds: number,
  contestants: Record<Name, Contestant>,
  measure: (contestant: Contestant) => Promise<Record<ValueName, number>>,
): Promise<Record<Name, Rounds<ValueName>>> {
  const results: Record<string, Record<ValueName, number>[]> = {};
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
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

/** The names of the figures that miss their target. */
export function missedTargets({ figures }: Findings): string[] {
  return Object.keys(figures).filter((name) => figures[name]! > targets[name]!);
}

/** @param isQuick leaves out the targets, because the figures of a quick run mean nothing */
export function printFindings(findings: Findings, output: Console, isQuick: boolean): void {
  const { title, rounds, figures } = findings;
  const missed = missedTargets(findings);
  const medians = Object.entries(rounds).map(([contestant, values]) => {
    const names = Object.keys(values[0]!);
    return [contestant, Object.fromEntries(names.map((name) => [name, medianOf(values, name)]))];
  });
  const results = Object.entries(figures).map(([name, value]) => {
    const verdict = missed.includes(name) ? 'MISSED' : 'met';
    return [name, isQuick ? { value } : { value, target: targets[name], verdict }];
  });
  output.log(`\n${title}`);
  for (const table of [medians, results]) {
    output.table(JSON.parse(JSON.stringify(Object.fromEntries(table), rounded)));
  }
}

/** The figures of all jobs as one line of JSON. */
export function renderJson(findings: readonly Findings[]): string {
  return JSON.stringify(Object.assign({}, ...findings.map(({ figures }) => figures)), rounded);
}

/** Rounds numbers, as the replacer of `JSON.stringify`. */
function rounded(_: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value;
}
