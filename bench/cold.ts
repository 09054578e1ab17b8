import type { FunctionName } from '../lib/functions/bundling.ts';
import { ordersTableName } from './doubles/orders-table.ts';
import type { Figures, Findings, Measurement } from './figures.ts';
import { type BundleFile, functionNames } from './workbench/bundles.ts';
import { authorizerEvent, cancelEvent, listEvent } from './workbench/events.ts';
import { interleave, median } from './workbench/interleave.ts';
import type { ColdResult } from './workbench/job.ts';
import type { Workbench } from './workbench/workbench.ts';

const events = { authorizer: authorizerEvent, listOrders: listEvent, cancelOrder: cancelEvent };
const figureNames = {
  authorizer: 'authorizer',
  listOrders: 'list',
  cancelOrder: 'cancel',
} as const;
const smallTable = ordersTableName({ orders: 50 });

/** Bundle load and first answer of each function in a fresh process, beside esbuild's default. */
export async function benchCold(bench: Workbench): Promise<Findings> {
  const { ours, byDefault } = bench.bundles;
  // All of them in every round: what else the machine does must not fall on one function alone.
  const contestants = functionNames.flatMap((name) => [
    [`${name} ours`, () => startCold(bench, name, ours[name])] as const,
    [`${name} default`, () => startCold(bench, name, byDefault[name])] as const,
  ]);
  const results = await interleave(bench.isQuick ? 1 : 21, Object.fromEntries(contestants));
  const middle = (contestant: string): Time => ({
    wallMs: median(results[contestant]!.map(({ wallMs }) => wallMs)),
    cpuMs: median(results[contestant]!.map(({ cpuMs }) => cpuMs)),
  });
  const findings = functionNames.map((name) =>
    compare(bench, name, middle(`${name} ours`), middle(`${name} default`)),
  );
  return {
    title: 'Cold start: bundle load and first answer',
    measurements: findings.flatMap(({ measurements }) => measurements),
    figures: Object.assign({}, ...findings.map(({ figures }) => figures)),
  };
}

type Time = Pick<ColdResult, 'wallMs' | 'cpuMs'>;

function compare({ bundles }: Workbench, name: FunctionName, our: Time, byDefault: Time) {
  const kilobytes = (bundle: BundleFile) => bundle.bytes / 1024;
  const figures: Figures = {
    [`${figureNames[name]}_cold_vs_default_bundle`]: our.wallMs / byDefault.wallMs,
    [`${figureNames[name]}_kb`]: kilobytes(bundles.ours[name]),
  };
  const measurements: Measurement[] = [
    { what: `${name}: ours`, value: our.wallMs, unit: 'ms' },
    { what: `${name}: ours`, value: our.cpuMs, unit: 'ms of CPU' },
    { what: `${name}: esbuild's default`, value: byDefault.wallMs, unit: 'ms' },
    { what: `${name}: esbuild's default`, value: byDefault.cpuMs, unit: 'ms of CPU' },
    { what: `${name}: esbuild's default`, value: kilobytes(bundles.byDefault[name]), unit: 'KB' },
  ];
  return { measurements, figures };
}

async function startCold(
  { measure }: Workbench,
  name: FunctionName,
  { file }: BundleFile,
): Promise<ColdResult> {
  const result = await measure(
    {
      kind: 'cold',
      bundleFile: file,
      event: events[name](),
      isStreaming: name === 'listOrders',
    },
    { ORDERS_TABLE: smallTable },
  );
  requireSuccess(result.answer);
  return result;
}

/** An error's answer would be a fast one. An authorizer's has no status code, and throws instead. */
function requireSuccess(answer: unknown): void {
  const { statusCode = 200 } = answer as { statusCode?: number };
  if (statusCode >= 300) throw new Error(`The first call failed: ${JSON.stringify(answer)}`);
}
