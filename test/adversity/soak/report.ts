import { drawPlot } from './plot.ts';
import { isMeasurable } from './processes.ts';
import { type BrokenPromises, type PromiseName, promises } from './promises.ts';
import type { Latency, Sample } from './samples.ts';

/** What a run has found. */
export interface SoakReport {
  readonly seed: number;
  readonly minutes: number;
  readonly ratePerSecond: number;
  readonly requests: number;
  readonly heldBack: number;
  /** Of all requests of the calm phases, and of those with faults. */
  readonly latencyMs: Readonly<Record<'calm' | 'faults', Latency | undefined>>;
  readonly broken: Readonly<Record<PromiseName, number>>;
  readonly examples: readonly string[];
  readonly samples: readonly Sample[];
}

/** The report as a table for people. */
export function reportText(report: SoakReport): string {
  const { seed, minutes, ratePerSecond, requests, heldBack, latencyMs } = report;
  return [
    `${requests} requests in ${minutes} minutes, ${ratePerSecond} a second asked for, ${heldBack} held back; seed ${seed}`,
    '',
    ...table([
      ['answers', 'p50', 'p95', 'p99'],
      ...Object.entries(latencyMs).map(([name, latency]) => [name, ...latencyCells(latency)]),
    ]),
    '',
    ...processLines(report.samples),
    '',
    ...table(statusRows(report.samples)),
    '',
    ...table([
      ['broken', 'promise'],
      ...Object.entries(promises).map(([name, words]) => [
        String(report.broken[name as PromiseName]),
        words,
      ]),
    ]),
    ...report.examples.map((example) => `  ${example}`),
  ].join('\n');
}

/** The report as charts over the time of the run. */
export function reportPlot({ samples, minutes, ratePerSecond, seed }: SoakReport): string {
  const names = Object.keys(samples[0]?.processes ?? {});
  const latency = (name: keyof Latency) => ({
    name,
    values: samples.map(({ latencyMs }) => latencyMs?.[name]),
  });
  const ofProcesses = (value: 'residentMb' | 'descriptors') =>
    names.map((name) => ({
      name,
      values: samples.map(({ processes }) => processes[name]?.[value]),
    }));
  const total = ({ broken }: Sample) => Object.values(broken).reduce((sum, count) => sum + count);
  return drawPlot({
    title: `Soak: ${minutes} minutes, ${ratePerSecond} requests a second asked for, seed ${seed}; shaded: faults`,
    seconds: samples.map(({ seconds }) => seconds),
    shaded: samples.flatMap(({ seconds, isCalm }, index) =>
      isCalm ? [] : [{ from: samples[index - 1]?.seconds ?? 0, to: seconds }],
    ),
    charts: [
      {
        title: 'answers a second',
        lines: [
          { name: 'answers', values: samples.map(({ requestsPerSecond }) => requestsPerSecond) },
        ],
      },
      { title: 'latency, ms', lines: [latency('p50'), latency('p95'), latency('p99')] },
      { title: 'resident memory, MB', lines: ofProcesses('residentMb') },
      { title: 'open file descriptors', lines: ofProcesses('descriptors') },
      { title: 'broken promises', lines: [{ name: 'all', values: samples.map(total) }] },
    ],
  });
}

/** What of a run's figures is written down. */
export function reportOf(
  settings: Pick<SoakReport, 'seed' | 'minutes' | 'ratePerSecond'>,
  found: Pick<SoakReport, 'requests' | 'heldBack' | 'latencyMs' | 'samples'>,
  { counts, examples }: BrokenPromises,
): SoakReport {
  return { ...settings, ...found, broken: counts, examples };
}

const latencyCells = (latency: Latency | undefined) =>
  (['p50', 'p95', 'p99'] as const).map((name) =>
    latency ? `${Math.round(latency[name])} ms` : '-',
  );

function processLines(samples: readonly Sample[]): string[] {
  if (!isMeasurable) return ['Memory and file descriptors are measured on Linux only.'];
  const names = Object.keys(samples[0]?.processes ?? {});
  const rows = names.map((name) => {
    const uses = samples.flatMap(({ processes }) => processes[name] ?? []);
    const cells = (values: number[]) =>
      values.length > 0 ? `${values[0]} / ${Math.max(...values)} / ${values.at(-1)}` : '-';
    const resident = cells(uses.map(({ residentMb }) => residentMb));
    return [name, resident, cells(uses.map(({ descriptors }) => descriptors))];
  });
  return table([['first / highest / last', 'resident MB', 'file descriptors'], ...rows]);
}

function statusRows(samples: readonly Sample[]): string[][] {
  const counts = (isCalm: boolean) => {
    const found: Record<string, number> = {};
    for (const sample of samples.filter((each) => each.isCalm === isCalm)) {
      for (const [status, count] of Object.entries(sample.statuses)) {
        found[status] = (found[status] ?? 0) + count;
      }
    }
    return found;
  };
  const [calm, faults] = [counts(true), counts(false)];
  const statuses = [...new Set([...Object.keys(calm), ...Object.keys(faults)])].sort();
  const cells = (found: Record<string, number>) => statuses.map((each) => String(found[each] ?? 0));
  return [
    ['answered', ...statuses],
    ['calm', ...cells(calm)],
    ['faults', ...cells(faults)],
  ];
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}
