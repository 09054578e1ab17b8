import { type FunctionName, functionNames } from '../../lib/settings/functions.ts';
import type { BundleFile } from './bundles.ts';
import { ordersTableName } from './canned-orders.ts';
import { authorizerEvent, cancelEvent, listEvent } from './events.ts';
import { type Figures, type Findings, type Measurement, median, mediansOf } from './report.ts';
import { interleave, type Workbench } from './workbench.ts';

const events = { authorizer: authorizerEvent, listOrders: listEvent, cancelOrder: cancelEvent };
const figureNames = {
  authorizer: 'authorizer',
  listOrders: 'list',
  cancelOrder: 'cancel',
} as const;
const smallTable = ordersTableName({ orders: 50 });

/** Measures loading and the first call of each function, compared with esbuild's default bundle. */
export async function benchCold(bench: Workbench): Promise<Findings> {
  const compared = [];
  for (const name of functionNames) compared.push(await benchFunction(bench, name));
  return {
    title: 'Cold start: bundle load and first answer',
    measurements: compared.flatMap(({ measurements }) => measurements),
    figures: Object.assign({}, ...compared.map(({ figures }) => figures)),
  };
}

async function benchFunction(
  bench: Workbench,
  name: FunctionName,
): Promise<{ measurements: Measurement[]; figures: Figures }> {
  const ours = bench.bundles.ours[name];
  const byDefault = bench.bundles.byDefault[name];
  const results = await interleave(bench.isQuick ? 1 : 31, {
    ours: () => startCold(bench, name, ours),
    byDefault: () => startCold(bench, name, byDefault),
  });
  // Load that comes and goes during the benchmark affects both runs of a round: they follow each other.
  const ratio = (figure: 'wallMs' | 'cpuMs') =>
    median(results.ours.map((run, round) => run[figure] / results.byDefault[round]![figure]));
  return {
    measurements: [
      ...mediansOf({ ours: `${name}: ours`, byDefault: `${name}: esbuild's default` }, results, [
        ['time', 'wallMs', 'ms'],
        ['CPU', 'cpuMs', 'ms'],
      ]),
      // Other load on the machine changes CPU time less than it changes wall time.
      { what: `${name}: CPU, ours to esbuild's default`, value: ratio('cpuMs'), unit: 'times' },
      {
        what: `${name}: esbuild's default: bundle`,
        value: byDefault.bytes / 1024,
        unit: 'KB',
      },
    ],
    figures: {
      [`${figureNames[name]}_cold_vs_default_bundle`]: ratio('wallMs'),
      [`${figureNames[name]}_kb`]: ours.bytes / 1024,
    },
  };
}

async function startCold(
  { measure }: Workbench,
  name: FunctionName,
  { file: bundleFile }: BundleFile,
): Promise<{ wallMs: number; cpuMs: number }> {
  const isStreaming = name === 'listOrders';
  const { answer, wallMs, cpuMs } = await measure(
    { kind: 'cold', bundleFile, event: events[name](), isStreaming },
    { ORDERS_TABLE: smallTable },
  );
  // An authorizer's result has no status code; it throws instead.
  const { statusCode = 200 } = answer as { statusCode?: number };
  if (statusCode >= 300) throw new Error(`The first call failed: ${JSON.stringify(answer)}`);
  return { wallMs, cpuMs };
}
