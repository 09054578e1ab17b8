import { type FunctionName, functionNames } from '../../lib/settings/functions.ts';
import type { BundleFile } from './bundles.ts';
import { ordersTableName } from './canned-orders.ts';
import { authorizerEvent, cancelEvent, listEvent } from './events.ts';
import type { ColdResult } from './measured-process.ts';
import { type Figures, type Findings, type Measurement, median, mediansOf } from './report.ts';
import { interleave, type Workbench } from './workbench.ts';

const events = { authorizer: authorizerEvent, listOrders: listEvent, cancelOrder: cancelEvent };
const figureNames = {
  authorizer: 'authorizer',
  listOrders: 'list',
  cancelOrder: 'cancel',
} as const;
const smallTable = ordersTableName({ orders: 50 });

type Times = Omit<ColdResult, 'answer'>;

/** Measures loading and the first call of each function, compared with esbuild's default bundle. */
export async function benchCold(bench: Workbench): Promise<Findings> {
  const { ours, byDefault } = bench.bundles;
  // Every round includes all contestants, so that other load on the machine affects all of them.
  const contestants = functionNames.flatMap((name) => [
    [`${name}: ours`, () => startCold(bench, name, ours[name])] as const,
    [`${name}: esbuild's default`, () => startCold(bench, name, byDefault[name])] as const,
  ]);
  const results = await interleave(bench.isQuick ? 1 : 31, Object.fromEntries(contestants));
  const titles = Object.fromEntries(contestants.map(([title]) => [title, title]));
  const times = mediansOf(titles, results, [
    ['time', 'wallMs', 'ms'],
    ['CPU', 'cpuMs', 'ms'],
    ['time of the load alone', 'loadWallMs', 'ms'],
    ['CPU of the load alone', 'loadCpuMs', 'ms'],
  ]);
  return {
    title: 'Cold start: bundle load and first answer',
    measurements: [
      ...times,
      ...functionNames.map((name) => cpuRatio(name, results)),
      ...functionNames.map((name) => defaultSize(byDefault[name], name)),
    ],
    figures: Object.assign(
      {},
      ...functionNames.map((name) => figuresOf(ours[name], name, results)),
    ),
  };
}

function defaultSize({ bytes }: BundleFile, name: FunctionName): Measurement {
  return { what: `${name}: esbuild's default: bundle`, value: bytes / 1024, unit: 'KB' };
}

function figuresOf(
  { bytes }: BundleFile,
  name: FunctionName,
  results: Record<string, Times[]>,
): Figures {
  return {
    [`${figureNames[name]}_cold_vs_default_bundle`]: ratioToDefault(name, results, 'wallMs'),
    [`${figureNames[name]}_kb`]: bytes / 1024,
  };
}

/** Other load on the machine changes CPU time less than it changes wall time. */
function cpuRatio(name: FunctionName, results: Record<string, Times[]>): Measurement {
  const value = ratioToDefault(name, results, 'cpuMs');
  return { what: `${name}: CPU, ours to esbuild's default`, value, unit: 'times' };
}

/**
 * The median of the ratios of all rounds. The two runs of a round follow each other, so that load
 * which comes and goes during the benchmark affects both.
 */
function ratioToDefault(
  name: FunctionName,
  results: Record<string, Times[]>,
  figure: keyof Times,
): number {
  const byDefault = results[`${name}: esbuild's default`]!;
  const ours = results[`${name}: ours`]!;
  return median(ours.map((times, round) => times[figure] / byDefault[round]![figure]));
}

async function startCold(
  { measure }: Workbench,
  name: FunctionName,
  { file: bundleFile }: BundleFile,
): Promise<Times> {
  const isStreaming = name === 'listOrders';
  const { answer, ...times } = await measure(
    { kind: 'cold', bundleFile, event: events[name](), isStreaming },
    { ORDERS_TABLE: smallTable },
  );
  requireSuccess(answer);
  return times;
}

/** @throws Error if the call failed. An authorizer's result has no status code; it throws instead. */
function requireSuccess(answer: unknown): void {
  const { statusCode = 200 } = answer as { statusCode?: number };
  if (statusCode >= 300) throw new Error(`The first call failed: ${JSON.stringify(answer)}`);
}
