import type { Findings } from './figures.ts';
import { medianOf, mediansOf } from './medians.ts';
import type { BundleFile } from './workbench/bundles.ts';
import { authorizerEvent } from './workbench/events.ts';
import { interleave } from './workbench/interleave.ts';
import type { CallsResult } from './workbench/job.ts';
import type { Workbench } from './workbench/workbench.ts';

const contestants = { ours: 'ours', peer: 'GetItem + rate-limiter-flexible' };

/** What an admitted request costs: CPU, round trips and write units, once everything is warm. */
export async function benchLimiter(bench: Workbench): Promise<Findings> {
  const { ours, peers } = bench.bundles;
  const results = await interleave(bench.isQuick ? 1 : 7, {
    ours: () => admitMany(bench, ours.authorizer),
    peer: () => admitMany(bench, peers.authorizerRateLimiterFlexible),
  });
  const ratio = (cost: 'cpuMs' | 'writeUnits') =>
    medianOf(results.ours, cost) / medianOf(results.peer, cost);
  return {
    title: 'Limiter: each admitted request',
    measurements: mediansOf(contestants, results, [
      ['CPU', 'cpuMs', 'ms'],
      ['round trips', 'requests', ''],
      ['write units', 'writeUnits', ''],
      ['log', 'logBytes', 'bytes'],
    ]),
    figures: {
      limiter_round_trips: medianOf(results.ours, 'requests'),
      limiter_cpu_vs_rate_limiter_flexible: ratio('cpuMs'),
      limiter_writes_vs_rate_limiter_flexible: ratio('writeUnits'),
    },
  };
}

async function admitMany(
  { measure, isQuick }: Workbench,
  { file }: BundleFile,
): Promise<Omit<CallsResult, 'answer'>> {
  const event = authorizerEvent();
  const [warmCalls, calls] = isQuick ? [10, 10] : [500, 1_500];
  const { answer, ...costs } = await measure(
    { kind: 'calls', bundleFile: file, event, isStreaming: false, warmCalls, calls },
    {},
  );
  requireAdmission(answer);
  return costs;
}

function requireAdmission(answer: unknown): void {
  const { policyDocument } = answer as { policyDocument: { Statement: [{ Effect: string }] } };
  if (policyDocument.Statement[0].Effect !== 'Allow') throw new Error('The limiter refused.');
}
