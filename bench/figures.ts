/** The figures of the JSON output with their targets, which are maxima. Ratios: ours to a peer's. */
export const targets = {
  list_cpu_vs_document_client: 0.2,
  list_cpu_vs_bare_http: 2.5,
  million_cpu_vs_document_client_buffered: undefined,
  million_peak_rss_mb: 128,
  million_first_byte_ms: undefined,
  million_wall_vs_one_segment_at_40ms_pages: 0.35,
  limiter_round_trips: 1,
  limiter_cpu_vs_rate_limiter_flexible: 0.33,
  limiter_writes_vs_rate_limiter_flexible: undefined,
  limiter_over_limit_writes: 1,
  limiter_burst_admitted_vs_limit: 1,
  authorizer_cold_vs_default_bundle: 0.55,
  cancel_cold_vs_default_bundle: 0.55,
  list_cold_vs_default_bundle: 0.55,
  authorizer_kb: 200,
  cancel_kb: 200,
  list_kb: 200,
  local_ready_seconds: 4,
  watch_handler_p95_ms: 300,
} satisfies Record<string, number | undefined>;

export type FigureName = keyof typeof targets;
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

/** Rounds to at most three decimal places, so that the JSON stays readable. */
export function round(value: number): number {
  return Number(value.toFixed(3));
}
