import type { KeyCase } from './canned-keys.ts';
import { authorizerEvent } from './events.ts';
import { type Findings, medianRatio, mediansOf } from './report.ts';
import { interleave, type Workbench } from './workbench.ts';

/** The kinds of requests, each with the result that its authorizer must return. */
const kinds: Record<KeyCase, { what: string; answer: RegExp }> = {
  admitted: { what: 'admitted', answer: /"Effect":"Allow"/ },
  full: { what: 'over the limit', answer: /"Effect":"Deny"/ },
  banned: { what: 'banned', answer: /"Effect":"Deny"/ },
  unknown: { what: 'invented key', answer: /"error":"Unauthorized"/ },
};

/** Measures the cost of a request in a warm process: CPU, round trips, read and write units, log. */
export async function benchLimiter(bench: Workbench): Promise<Findings> {
  const rounds = {
    admitted: await compare(bench, 'admitted'),
    full: await compare(bench, 'full'),
    banned: await compare(bench, 'banned'),
    unknown: await compare(bench, 'unknown'),
  };
  const measured = Object.entries(rounds).flatMap(([keyCase, costs]) => {
    const { what } = kinds[keyCase as KeyCase];
    const { ours, peer } = mediansOf(costs);
    return Object.entries({ [`${what}, ours`]: ours, [`${what}, peer`]: peer });
  });
  const { admitted, full } = rounds;
  return {
    title: 'Limiter: one request, ours and GetItem with rate-limiter-flexible',
    measured: Object.fromEntries(measured),
    figures: {
      limiter_round_trips: mediansOf(admitted).ours.requests,
      limiter_cpu_vs_rate_limiter_flexible: medianRatio(admitted.ours, admitted.peer, 'cpuMs'),
      limiter_over_limit_writes: mediansOf(full).ours.writeUnits,
    },
  };
}

function compare(bench: Workbench, keyCase: KeyCase) {
  const { ours, own } = bench.bundles;
  // Only the CPU figure of admitted requests needs many rounds; the others are numbers of calls.
  const rounds = keyCase === 'admitted' ? 7 : 3;
  const authorizers = { ours: ours.authorizer, peer: own.rateLimiterFlexible };
  return interleave(bench.isQuick ? 1 : rounds, authorizers, (bundleFile) =>
    callMany(bench, bundleFile, keyCase),
  );
}

async function callMany({ measure, isQuick }: Workbench, bundleFile: string, keyCase: KeyCase) {
  const batches = isQuick ? [10, 10] : [500, 1_500];
  const job = { bundleFile, event: authorizerEvent(keyCase), batches };
  const [, warm] = (await measure(job, kinds[keyCase].answer)).batches;
  const { cpuMs, requests, readUnits, writeUnits, logBytes } = warm!;
  return { cpuMs, requests, readUnits, writeUnits, logBytes };
}
