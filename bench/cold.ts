import type { FunctionName } from '../lib/bundling.ts';
import { type BundleFile, functionNames } from './bundles.ts';
import { authorizerEvent, cancelEvent, listEvent } from './events.ts';
import type { Figures, Findings, Measurement } from './figures.ts';
import { interleave, median } from './interleave.ts';
import type { ColdResult } from './job.ts';
import { ordersTableName } from './orders-table.ts';
import type { Workbench } from './workbench.ts';

const events = { authorizer: authorizerEvent, listOrders: listEvent, cancelOrder: cancelEvent };
const figureNames = {
  authorizer: 'authorizer',
  listOrders: 'list',
  cancelOrder: 'cancel',
} as const;
const smallTable = ordersTableName({ orders: 50 });

/** Bundle load and first answer of each function in a fresh process, beside esbuild's default. */
export async function benchCold(bench: Workbench): Promise<Findings> {
  const findings: Omit<Findings, 'title'>[] = [];
  for (const name of functionNames) findings.push(await benchFunction(bench, name));
  return {
    title: 'Cold start: bundle load and first answer',
    measurements: findings.flatMap(({ measurements }) => measurements),
    figures: Object.assign({}, ...findings.map(({ figures }) => figures)),
  };
}

async function benchFunction(bench: Workbench, name: FunctionName) {
  const { ours, byDefault } = bench.bundles;
  const results = await interleave(bench.isQuick ? 1 : 21, {
    ours: () => startCold(bench, name, ours[name]),
    byDefault: () => startCold(bench, name, byDefault[name]),
  });
  const ourMs = median(results.ours.map(({ wallMs }) => wallMs));
  const defaultMs = median(results.byDefault.map(({ wallMs }) => wallMs));
  const figures: Figures = {
    [`${figureNames[name]}_cold_vs_default_bundle`]: ourMs / defaultMs,
    [`${figureNames[name]}_kb`]: ours[name].bytes / 1024,
  };
  const measurements: Measurement[] = [
    { what: `${name}: ours`, value: ourMs, unit: 'ms' },
    { what: `${name}: esbuild's default`, value: defaultMs, unit: 'ms' },
    { what: `${name}: esbuild's default`, value: byDefault[name].bytes / 1024, unit: 'KB' },
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
