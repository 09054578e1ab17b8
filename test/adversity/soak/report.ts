import { type InvariantName, invariants, type Violations } from './invariants.ts';
import { drawPlot } from './plot.ts';
import { isMeasurable } from './processes.ts';
import type { Latency, Sample } from './samples.ts';

/** The results of a run. */
export interface SoakReport {
  readonly seed: number;
  readonly minutes: number;
  readonly ratePerSecond: number;
  readonly requests: number;
  readonly notSent: number;
  /** The latency in phases without faults, and in phases with faults. */
  readonly latencyMs: Readonly<Record<'withoutFaults' | 'withFaults', Latency | undefined>>;
  readonly violations: Readonly<Record<InvariantName, number>>;
  readonly examples: readonly string[];
  readonly samples: readonly Sample[];
}

/** Formats a sample as a line, with the violations since the beginning of the run by name. */
export function progressLine({
  seconds,
  requestsPerSecond,
  latencyMs,
  processes,
  violations,
  phase,
}: Sample): string {
  const found = Object.entries(violations).filter(([, count]) => count > 0);
  return [
    `${seconds} s: ${Math.round(requestsPerSecond)} a second`,
    `p99 ${Math.round(latencyMs?.p99 ?? 0)} ms`,
    `service ${processes.service?.residentMb ?? '-'} MB`,
    found.length > 0
      ? `violations: ${found.map(([name, count]) => `${count} ${name}`).join(', ')}`
      : 'no violations',
    phase,
  ].join('; ');
}

/** Formats the report as tables. */
export function reportText(report: SoakReport): string {
  const { seed, minutes, ratePerSecond, requests, notSent, latencyMs, samples } = report;
  const seconds = samples.at(-1)?.seconds ?? 0;
  return [
    `${requests} requests in ${seconds} seconds, ${notSent} not sent; asked for: ${minutes} minutes of ${ratePerSecond} a second, seed ${seed}`,
    '',
    ...table([
      ['answers', 'a second', 'p50', 'p95', 'p99'],
      ['without faults', rateCell(samples, true), ...latencyCells(latencyMs.withoutFaults)],
      ['with faults', rateCell(samples, false), ...latencyCells(latencyMs.withFaults)],
    ]),
    '',
    ...processLines(samples),
    '',
    ...table(statusRows(report.samples)),
    '',
    ...table([
      ['violations', 'invariant'],
      ...Object.entries(invariants).map(([name, words]) => [
        String(report.violations[name as InvariantName]),
        words,
      ]),
    ]),
    ...report.examples.map((example) => `  ${example}`),
  ].join('\n');
}

/** Draws the report as charts over the time of the run. */
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
  const total = ({ violations }: Sample) =>
    Object.values(violations).reduce((sum, count) => sum + count);
  return drawPlot({
    title: `Soak: ${minutes} minutes, ${ratePerSecond} requests a second asked for, seed ${seed}; shaded: faults`,
    seconds: samples.map(({ seconds }) => seconds),
    shaded: timesWithFaults(samples),
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
      { title: 'violations', lines: [{ name: 'all', values: samples.map(total) }] },
    ],
  });
}

function timesWithFaults(samples: readonly Sample[]): { from: number; to: number }[] {
  const times: { from: number; to: number }[] = [];
  for (const [index, { seconds, isFaultFree }] of samples.entries()) {
    const before = samples[index - 1];
    if (isFaultFree) continue;
    if (before && !before.isFaultFree) times.at(-1)!.to = seconds;
    else times.push({ from: before?.seconds ?? 0, to: seconds });
  }
  return times;
}

/** Assembles the report of a run. */
export function reportOf(
  settings: Pick<SoakReport, 'seed' | 'minutes' | 'ratePerSecond'>,
  found: Pick<SoakReport, 'requests' | 'notSent' | 'latencyMs' | 'samples'>,
  { counts, examples }: Violations,
): SoakReport {
  return { ...settings, ...found, violations: counts, examples };
}

function rateCell(samples: readonly Sample[], isFaultFree: boolean): string {
  const rates = samples.filter((each) => each.isFaultFree === isFaultFree);
  const sum = rates.reduce((total, { requestsPerSecond }) => total + requestsPerSecond, 0);
  return rates.length > 0 ? String(Math.round(sum / rates.length)) : '-';
}

const latencyCells = (latency: Latency | undefined) =>
  (['p50', 'p95', 'p99'] as const).map((name) =>
    latency ? `${Math.round(latency[name])} ms` : '-',
  );

function processLines(samples: readonly Sample[]): string[] {
  if (!isMeasurable) return ['Memory and file descriptors are measured on Linux only.'];
  const names = Object.keys(samples[0]?.processes ?? {});
  // The processor time before the first sample is mostly that of the start.
  const statuses = samples.slice(1).flatMap((sample) => Object.values(sample.statuses));
  const answers = statuses.reduce((sum, count) => sum + count, 0);
  const rows = names.map((name) => {
    const uses = samples.flatMap(({ processes }) => processes[name] ?? []);
    const cells = (values: number[]) =>
      values.length > 0 ? `${values[0]} / ${Math.max(...values)} / ${values.at(-1)}` : '-';
    const resident = cells(uses.map(({ residentMb }) => residentMb));
    const descriptors = cells(uses.map((use) => use.descriptors));
    const seconds = uses.length > 1 ? uses.at(-1)!.processorSeconds - uses[0]!.processorSeconds : 0;
    return [name, resident, descriptors, ((1_000 * seconds) / answers).toFixed(2)];
  });
  const head = ['resident MB', 'file descriptors', 'processor ms per request'];
  return table([['first / highest / last', ...head], ...rows]);
}

function statusRows(samples: readonly Sample[]): string[][] {
  const counts = (isFaultFree: boolean) => {
    const found: Record<string, number> = {};
    for (const sample of samples.filter((each) => each.isFaultFree === isFaultFree)) {
      for (const [status, count] of Object.entries(sample.statuses)) {
        found[status] = (found[status] ?? 0) + count;
      }
    }
    return found;
  };
  const [withoutFaults, withFaults] = [counts(true), counts(false)];
  const statuses = [...new Set([...Object.keys(withoutFaults), ...Object.keys(withFaults)])].sort();
  const cells = (found: Record<string, number>) => statuses.map((each) => String(found[each] ?? 0));
  return [
    ['answered', ...statuses],
    ['without faults', ...cells(withoutFaults)],
    ['with faults', ...cells(withFaults)],
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
