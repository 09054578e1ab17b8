import { statSync } from 'node:fs';
import { type FunctionName, functionNames } from '../../lib/settings/functions.ts';
import { authorizerEvent } from '../../test/helpers/functions/events.ts';
import { cannedToken } from './canned-keys.ts';
import { operationEvent } from './canned-orders.ts';
import { type Findings, figurePrefix, medianRatio, mediansOf } from './report.ts';
import { interleave, type Workbench } from './workbench.ts';

const smallTable = { orders: 50 };

function callOf(name: FunctionName) {
  if (name === 'authorizer') {
    const event = authorizerEvent(`Bearer ${cannedToken('admitted')}`);
    return { event, answer: /"Effect":"Allow"/ };
  }
  return { event: operationEvent(name), answer: /"statusCode":2/ };
}

/** Measures loading and the first call of each function, compared with esbuild's default bundle. */
export async function benchCold(bench: Workbench): Promise<Findings> {
  const findings: Findings = {
    title: 'Cold start: bundle load and first answer',
    measured: {},
    figures: {},
  };
  for (const name of functionNames) {
    const [ours, byDefault] = [bench.bundles.ours[name], bench.bundles.byDefault[name]];
    const bundles = { [`${name}, ours`]: ours, [`${name}, esbuild's default`]: byDefault };
    const { event, answer } = callOf(name);
    const results = await interleave(bench, 31, bundles, async (bundleFile) => {
      const job = { bundleFile, event, batches: [1] };
      const { load, batches } = await bench.measure(job, answer, smallTable);
      return {
        wallMs: load.wallMs + batches[0]!.wallMs,
        bundleKb: statSync(bundleFile).size / 1024,
      };
    });
    const [our = [], others = []] = Object.values(results);
    const ratio = medianRatio(our, others, 'wallMs');
    const figure = figurePrefix(name);
    Object.assign(findings.measured, mediansOf(results));
    findings.figures[`${figure}_cold_vs_default_bundle`] = ratio;
    findings.figures[`${figure}_kb`] = our[0]!.bundleKb;
  }
  return findings;
}
