import { type FunctionName, functionNames } from '../../lib/settings/functions.ts';
import { exampleToken } from '../../test/helpers/dynamodb/key-items.ts';
import { authorizerEvent, cancelEvent, proxyEvent } from '../../test/helpers/functions/events.ts';
import { ordersPerFullPage } from './canned-dynamodb.ts';
import { interleave, medianOf, medianRatio } from './rounds.ts';
import type { Workbench } from './workbench.ts';

/** A result of a job. A ratio is our value divided by the value of a peer. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  /** The maximum. A figure without a maximum is only shown. */
  readonly max?: number;
}

/** The jobs of the benchmark, by the names that it prints. */
export const jobs: Record<string, (bench: Workbench) => Promise<Figure[]>> = {
  list,
  million,
  limiter,
  cold,
};

const isListed = /"statusCode":200/;

/** Measures the CPU time of a full page of orders, compared with the SDK's DocumentClient. */
async function list({ bundles, isQuick, measure }: Workbench): Promise<Figure[]> {
  // There is more than one page, so that the comparison notices a loss of orders between pages.
  const pages = isQuick ? 2 : 16;
  const measureList = (bundleFile: string, coding = '', calls = isQuick ? 1 : 4) => {
    const event = proxyEvent({ headers: { 'Accept-Encoding': coding } });
    return measure({ bundleFile, event, warmUps: calls, calls }, isListed, { pages });
  };
  const { listOrders } = bundles.ours;
  const contestants = { ours: listOrders, peer: bundles.own.documentClient };
  const { ours, peer } = await interleave(isQuick ? 1 : 5, contestants, (bundleFile) =>
    measureList(bundleFile),
  );
  // The lengths are compared, because a list that leaves out orders is shorter and faster.
  if (ours[0]!.bytes !== peer[0]!.bytes) throw new Error('The lists differ in bytes.');
  const bytesPerOrder = async (coding: string) =>
    (await measureList(listOrders, coding, 1)).bytes / pages / ordersPerFullPage;
  return [
    { name: 'CPU vs DocumentClient', value: medianRatio(ours, peer, 'cpuMs'), max: 0.55 },
    { name: 'bytes an order, gzip', value: await bytesPerOrder('gzip') },
    { name: 'bytes an order, zstd', value: await bytesPerOrder('zstd') },
  ];
}

/** Measures the memory of a list of a million orders, and of a list that is twice as long. */
async function million({ bundles, isQuick, measure }: Workbench): Promise<Figure[]> {
  const pages = isQuick ? 2 : Math.ceil(1_000_000 / ordersPerFullPage);
  const job = { bundleFile: bundles.ours.listOrders, event: proxyEvent(), warmUps: 1, calls: 0 };
  const sizes = { one: { pages }, two: { pages: 2 * pages } };
  // Each list has a fresh process, so that the memory of a single list is measured.
  const { one, two } = await interleave(isQuick ? 1 : 2, sizes, (tables) =>
    measure(job, isListed, tables),
  );
  return [
    { name: 'peak MB of a million orders', value: medianOf(one, 'peakRssMb'), max: 350 },
    { name: 'two million vs one', value: medianRatio(two, one, 'peakRssMb'), max: 1.1 },
  ];
}

/** Measures a request in a warm process: CPU time, requests to DynamoDB and write units. */
async function limiter({ bundles, isQuick, measure }: Workbench): Promise<Figure[]> {
  const event = authorizerEvent(`Bearer ${exampleToken()}`);
  const count = isQuick ? { warmUps: 10, calls: 10 } : { warmUps: 400, calls: 800 };
  const contestants = {
    ours: { bundleFile: bundles.ours.authorizer, isMinuteFull: false },
    peer: { bundleFile: bundles.own.rateLimiterFlexible, isMinuteFull: false },
    overLimit: { bundleFile: bundles.ours.authorizer, isMinuteFull: true },
  };
  const { ours, peer, overLimit } = await interleave(
    isQuick ? 1 : 5,
    contestants,
    ({ bundleFile, isMinuteFull }) => {
      const answer = isMinuteFull ? /"Effect":"Deny"/ : /"Effect":"Allow"/;
      return measure({ bundleFile, event, ...count }, answer, { pages: 0, isMinuteFull });
    },
  );
  return [
    // The median is taken, because the first request of a process may need one call more.
    { name: 'requests to DynamoDB', value: medianOf(ours, 'requests'), max: 1.01 },
    { name: 'CPU vs rate-limiter-flexible', value: medianRatio(ours, peer, 'cpuMs'), max: 0.33 },
    { name: 'writes over the limit', value: medianOf(overLimit, 'writeUnits'), max: 1 },
  ];
}

/** Measures loading and the first call of each function, compared with esbuild's default bundle. */
async function cold({ bundles, isQuick, measure }: Workbench): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const name of functionNames) {
    const { event, answer } = firstCalls[name];
    const contestants = { ours: bundles.ours[name], peer: bundles.byDefault[name] };
    const { ours, peer } = await interleave(isQuick ? 1 : 15, contestants, (bundleFile) => {
      const job = { bundleFile, event, warmUps: 1, calls: 0 };
      return measure(job, answer, { pages: 1, ordersPerPage: 50 });
    });
    const value = medianRatio(ours, peer, 'coldMs');
    figures.push({ name: `${name} vs default bundle`, value, max: 0.6 });
  }
  return figures;
}

const firstCalls: Record<FunctionName, { event: unknown; answer: RegExp }> = {
  authorizer: {
    event: authorizerEvent(`Bearer ${exampleToken()}`),
    answer: /"Effect":"Allow"/,
  },
  listOrders: { event: proxyEvent(), answer: isListed },
  cancelOrder: { event: cancelEvent('1'), answer: /"statusCode":204/ },
};
