/** The figures of the JSON output with their targets, which are maxima. Ratios: ours to a peer's. */
export const targets = {
  list_cpu_vs_document_client: 0.14,
  list_cpu_vs_bare_http: 2.5,
  million_cpu_vs_document_client_buffered: undefined,
  million_peak_rss_mb: 128,
  million_first_byte_ms: undefined,
  million_wall_vs_one_segment_at_40ms_pages: 0.35,
  limiter_round_trips: 1,
  limiter_cpu_vs_rate_limiter_flexible: 0.33,
  limiter_writes_vs_rate_limiter_flexible: undefined,
  limiter_over_limit_writes: 1,
  authorizer_cold_vs_default_bundle: 0.6,
  cancel_cold_vs_default_bundle: 0.6,
  list_cold_vs_default_bundle: 0.6,
  authorizer_kb: 200,
  cancel_kb: 200,
  list_kb: 200,
  local_ready_seconds: 4,
  watch_handler_p95_ms: 500,
} satisfies Record<string, number | undefined>;

type FigureName = keyof typeof targets;
export type Figures = Partial<Record<FigureName, number>>;

/** One line of the table. */
export interface Measurement {
  what: string;
  value: number;
  unit: string;
}

/** The results of one part of the benchmark. */
export interface Findings {
  title: string;
  measurements: Measurement[];
  figures: Figures;
}

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

/** The median; for an even number of values, the mean of the two in the middle. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * Renders the findings as text: the measurements, then each figure with its target.
 *
 * @param isQuick leaves the targets out, because the figures of a quick run mean nothing
 */
export function renderFindings(
  { title, measurements, figures }: Findings,
  isQuick = false,
): string {
  const measured = measurements.map(({ what, value, unit }) => [
    what,
    `${formatted(value)} ${unit}`,
  ]);
  const compared = Object.entries(figures).map(([name, value]) => [
    name,
    isQuick ? formatted(value) : `${formatted(value)}${targetNote(name as FigureName, value)}`,
  ]);
  return [`\n${title}`, ...alignColumns([...measured, ...compared])].join('\n');
}

/**
 * Renders the figures as one line of JSON, in the order of `targets`, with at most three decimal
 * places.
 */
export function renderJson(findings: Findings[]): string {
  const found: Figures = Object.assign({}, ...findings.map(({ figures }) => figures));
  const names = (Object.keys(targets) as FigureName[]).filter((name) => found[name] !== undefined);
  return JSON.stringify(
    Object.fromEntries(names.map((name) => [name, Number(found[name]!.toFixed(3))])),
  );
}

function targetNote(name: FigureName, value: number): string {
  const target = targets[name];
  if (target === undefined) return '';
  return value <= target ? `  (target ${target})` : `  (MISSES its target of ${target})`;
}

function formatted(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}

function alignColumns(rows: string[][]): string[] {
  const width = Math.max(...rows.map(([label]) => label!.length));
  return rows.map(([label, value]) => `  ${label!.padEnd(width)}  ${value}`);
}
