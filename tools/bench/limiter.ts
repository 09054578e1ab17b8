import type { BundleFile } from './bundles.ts';
import type { KeyCase } from './canned-keys.ts';
import { authorizerEvent } from './events.ts';
import type { CallsResult } from './measured-process.ts';
import { type Findings, type Measurement, median } from './report.ts';
import { interleave, type Workbench } from './workbench.ts';

type Cost = 'cpuMs' | 'requests' | 'readUnits' | 'writeUnits' | 'logBytes';
type CostOf = (cost: Cost) => number;

/** The kinds of requests, each with the result that its authorizer must return. */
const kinds: Record<KeyCase, { what: string; answer: RegExp }> = {
  admitted: { what: 'admitted', answer: /"Effect":"Allow"/ },
  full: { what: 'over the limit', answer: /"Effect":"Deny"/ },
  banned: { what: 'banned', answer: /"Effect":"Deny"/ },
  unknown: { what: 'invented key', answer: /"error":"Unauthorized"/ },
};

const keyCases = Object.keys(kinds) as KeyCase[];

/** Measures the cost of a request in a warm process: CPU, round trips, read and write units, log. */
export async function benchLimiter(bench: Workbench): Promise<Findings> {
  const costs = await measureKinds(bench);
  const { ours: our, peer } = costs.admitted;
  return {
    title: 'Limiter: each request, ours beside GetItem and rate-limiter-flexible',
    measurements: [
      ...keyCases.flatMap((keyCase) => [
        ...describe(`${kinds[keyCase].what}, ours`, costs[keyCase].ours),
        ...describe(`${kinds[keyCase].what}, peer`, costs[keyCase].peer),
      ]),
    ],
    figures: {
      limiter_round_trips: our('requests'),
      limiter_cpu_vs_rate_limiter_flexible: our('cpuMs') / peer('cpuMs'),
      limiter_writes_vs_rate_limiter_flexible: our('writeUnits') / peer('writeUnits'),
      limiter_over_limit_writes: costs.full.ours('writeUnits'),
    },
  };
}

type Compared = Record<'ours' | 'peer', CostOf>;

async function measureKinds(bench: Workbench): Promise<Record<KeyCase, Compared>> {
  const costs: Partial<Record<KeyCase, Compared>> = {};
  for (const keyCase of keyCases) costs[keyCase] = await measureKind(bench, keyCase);
  return costs as Record<KeyCase, Compared>;
}

async function measureKind(bench: Workbench, keyCase: KeyCase): Promise<Compared> {
  const { ours, peers } = bench.bundles;
  // Only the CPU figure of admitted requests needs many rounds; the others are numbers of calls.
  const rounds = keyCase === 'admitted' ? 7 : 3;
  const results = await interleave(bench.isQuick ? 1 : rounds, {
    ours: () => callMany(bench, ours.authorizer, keyCase),
    peer: () => callMany(bench, peers.authorizerRateLimiterFlexible, keyCase),
  });
  const costOf =
    (contestant: keyof Compared): CostOf =>
    (cost) =>
      median(results[contestant].map((result) => result[cost]));
  return { ours: costOf('ours'), peer: costOf('peer') };
}

async function callMany(
  { measure, isQuick }: Workbench,
  { file }: BundleFile,
  keyCase: KeyCase,
): Promise<CallsResult> {
  const result = await measure({
    kind: 'calls',
    bundleFile: file,
    event: authorizerEvent(keyCase),
    isStreaming: false,
    warmCalls: isQuick ? 10 : 500,
    calls: isQuick ? 10 : 1_500,
  });
  const answer = JSON.stringify(result.answer);
  if (!kinds[keyCase].answer.test(answer))
    throw new Error(`A key of case ${keyCase} got ${answer}`);
  return result;
}

function describe(name: string, cost: CostOf): Measurement[] {
  return [
    { what: `${name}: CPU`, value: cost('cpuMs'), unit: 'ms' },
    { what: `${name}: round trips`, value: cost('requests'), unit: '' },
    { what: `${name}: read units`, value: cost('readUnits'), unit: '' },
    { what: `${name}: write units`, value: cost('writeUnits'), unit: '' },
    { what: `${name}: log`, value: cost('logBytes'), unit: 'bytes' },
  ];
}
