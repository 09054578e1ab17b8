import type { Findings, Measurement } from './figures.ts';
import type { BundleFile } from './workbench/bundles.ts';
import { authorizerEvent } from './workbench/events.ts';
import { interleave, median } from './workbench/interleave.ts';
import type { CallsResult } from './workbench/job.ts';
import type { Workbench } from './workbench/workbench.ts';

type Cost = 'cpuMs' | 'requests' | 'writeUnits' | 'logBytes';

/** What an admitted request costs: CPU, round trips and write units, once everything is warm. */
export async function benchLimiter(bench: Workbench): Promise<Findings> {
  const { ours, peers } = bench.bundles;
  const results = await interleave(bench.isQuick ? 1 : 7, {
    ours: () => admitMany(bench, ours.authorizer),
    peer: () => admitMany(bench, peers.authorizerRateLimiterFlexible),
  });
  const our = (cost: Cost) => median(results.ours.map((result) => result[cost]));
  const peer = (cost: Cost) => median(results.peer.map((result) => result[cost]));
  return {
    title: 'Limiter: each admitted request',
    measurements: [...describe('ours', our), ...describe('GetItem + rate-limiter-flexible', peer)],
    figures: {
      limiter_round_trips: our('requests'),
      limiter_cpu_vs_rate_limiter_flexible: our('cpuMs') / peer('cpuMs'),
      limiter_writes_vs_rate_limiter_flexible: our('writeUnits') / peer('writeUnits'),
    },
  };
}

async function admitMany(
  { measure, isQuick }: Workbench,
  { file }: BundleFile,
): Promise<CallsResult> {
  const event = authorizerEvent();
  const result = await measure(
    {
      kind: 'calls',
      bundleFile: file,
      event,
      isStreaming: false,
      warmCalls: isQuick ? 10 : 500,
      calls: isQuick ? 10 : 1_500,
    },
    {},
  );
  requireAdmission(result.answer);
  return result;
}

function requireAdmission(answer: unknown): void {
  const { policyDocument } = answer as { policyDocument: { Statement: [{ Effect: string }] } };
  if (policyDocument.Statement[0].Effect !== 'Allow') throw new Error('The limiter refused.');
}

function describe(name: string, cost: (cost: Cost) => number): Measurement[] {
  return [
    { what: `${name}: CPU`, value: cost('cpuMs'), unit: 'ms' },
    { what: `${name}: round trips`, value: cost('requests'), unit: '' },
    { what: `${name}: write units`, value: cost('writeUnits'), unit: '' },
    { what: `${name}: log`, value: cost('logBytes'), unit: 'bytes' },
  ];
}
