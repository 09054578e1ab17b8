import type { KeyCase } from './canned-keys.ts';
import { authorizerEvent } from './events.ts';
import { type Findings, medianRatio, mediansOf } from './report.ts';
import { interleave, type Workbench } from './workbench.ts';

/** An authorizer, and the kind of key that it is called with. */
interface LimiterKind {
  readonly bundleFile: string;
  readonly keyCase: KeyCase;
}

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
  const rounds = await interleave(bench.isQuick ? 1 : 7, contestants, (kind) =>
    callMany(bench, kind),
  );
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

async function callMany({ measure, isQuick }: Workbench, { bundleFile, keyCase }: LimiterKind) {
  const batches = isQuick ? [10, 10] : [500, 1_500];
  const job = { bundleFile, event: authorizerEvent(keyCase), batches };
  const answer = keyCase === 'full' ? /"Effect":"Deny"/ : /"Effect":"Allow"/;
  const [, warm] = (await measure(job, answer)).batches;
  const { cpuMs, requests, writeUnits } = warm!;
  return { cpuMs, requests, writeUnits };
}
