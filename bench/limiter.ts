import { benchBurst } from './burst.ts';
import type { KeyCase } from './doubles/api-keys.ts';
import type { Findings, Measurement } from './figures.ts';
import type { BundleFile } from './workbench/bundles.ts';
import { authorizerEvent } from './workbench/events.ts';
import { interleave, median } from './workbench/interleave.ts';
import type { CallsResult } from './workbench/job.ts';
import type { Workbench } from './workbench/workbench.ts';

type Cost = 'cpuMs' | 'requests' | 'readUnits' | 'writeUnits' | 'logBytes';
type CostOf = (cost: Cost) => number;

/** Each kind of request, and what an authorizer must answer for its cost to count. */
const kinds: Record<KeyCase, { what: string; answer: RegExp }> = {
  admitted: { what: 'admitted', answer: /"Effect":"Allow"/ },
  full: { what: 'over the limit', answer: /"Effect":"Deny"/ },
  banned: { what: 'banned', answer: /"Effect":"Deny"/ },
  unknown: { what: 'invented key', answer: /"error":"Unauthorized"/ },
};

/** What a request costs, once everything is warm: CPU, round trips, read and write units. */
export async function benchLimiter(bench: Workbench): Promise<Findings> {
  const { ours, peers } = bench.bundles;
  const contestants = (Object.keys(kinds) as KeyCase[]).flatMap((keyCase) => [
    [`ours ${keyCase}`, () => callMany(bench, ours.authorizer, keyCase)] as const,
    [
      `peer ${keyCase}`,
      () => callMany(bench, peers.authorizerRateLimiterFlexible, keyCase),
    ] as const,
  ]);
  const results = await interleave(bench.isQuick ? 1 : 7, Object.fromEntries(contestants));
  const costOf =
    (contestant: string): CostOf =>
    (cost) =>
      median(results[contestant]!.map((result) => result[cost]));
  const [our, peer] = [costOf('ours admitted'), costOf('peer admitted')];
  const burst = await benchBurst(bench);
  return {
    title: 'Limiter: each request, ours beside GetItem and rate-limiter-flexible',
    measurements: [
      ...Object.entries(kinds).flatMap(([keyCase, { what }]) => [
        ...describe(`${what}, ours`, costOf(`ours ${keyCase}`)),
        ...describe(`${what}, peer`, costOf(`peer ${keyCase}`)),
      ]),
      ...burst.measurements,
    ],
    figures: {
      limiter_round_trips: our('requests'),
      limiter_cpu_vs_rate_limiter_flexible: our('cpuMs') / peer('cpuMs'),
      limiter_writes_vs_rate_limiter_flexible: our('writeUnits') / peer('writeUnits'),
      limiter_over_limit_writes: costOf('ours full')('writeUnits'),
      ...burst.figures,
    },
  };
}

async function callMany(
  { measure, isQuick }: Workbench,
  { file }: BundleFile,
  keyCase: KeyCase,
): Promise<CallsResult> {
  const result = await measure(
    {
      kind: 'calls',
      bundleFile: file,
      event: authorizerEvent(keyCase),
      isStreaming: false,
      warmCalls: isQuick ? 10 : 500,
      calls: isQuick ? 10 : 1_500,
    },
    {},
  );
  const answer = JSON.stringify(result.answer);
  if (!kinds[keyCase].answer.test(answer)) throw new Error(`A ${keyCase} key got ${answer}`);
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
