import { authorizerEvent } from '../../test/helpers/functions/events.ts';
import { cannedToken } from './canned-keys.ts';
import { type Findings, medianRatio, mediansOf } from './report.ts';
import { interleave, type Workbench } from './workbench.ts';

/** Measures the cost of a request in a warm process: CPU time, requests to DynamoDB and write units. */
export async function benchLimiter(bench: Workbench): Promise<Findings> {
  const { ours, own } = bench.bundles;
  const contestants = {
    ours: { bundleFile: ours.authorizer, keyCase: 'admitted' },
    'GetItem and rate-limiter-flexible': {
      bundleFile: own.rateLimiterFlexible,
      keyCase: 'admitted',
    },
    'ours, over the limit': { bundleFile: ours.authorizer, keyCase: 'full' },
  } as const;
  const batches = bench.isQuick ? [10, 10] : [500, 1_500];
  const rounds = await interleave(bench, 7, contestants, async ({ bundleFile, keyCase }) => {
    const answer = keyCase === 'full' ? /"Effect":"Deny"/ : /"Effect":"Allow"/;
    const event = authorizerEvent(`Bearer ${cannedToken(keyCase)}`);
    const [, warm] = (await bench.measure({ bundleFile, event, batches }, answer)).batches;
    const { cpuMs, requests, writeUnits } = warm!;
    return { cpuMs, requests, writeUnits };
  });
  const measured = mediansOf(rounds);
  const peer = rounds['GetItem and rate-limiter-flexible'];
  return {
    title: 'Limiter: one request',
    measured,
    figures: {
      limiter_round_trips: measured.ours.requests,
      limiter_cpu_vs_rate_limiter_flexible: medianRatio(rounds.ours, peer, 'cpuMs'),
      limiter_over_limit_writes: measured['ours, over the limit'].writeUnits,
    },
  };
}
