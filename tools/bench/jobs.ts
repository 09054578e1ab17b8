import { statSync } from 'node:fs';
import { type FunctionName, functionNames } from '../../lib/settings/functions.ts';
import { exampleToken } from '../../test/helpers/dynamodb/key-items.ts';
import { authorizerEvent, cancelEvent, proxyEvent } from '../../test/helpers/functions/events.ts';
import { ordersPerFullPage } from './canned-orders.ts';
import { coldFigures, type Findings, interleave, median, medianOf, medianRatio } from './report.ts';
import type { Workbench } from './workbench.ts';

/** The jobs of the benchmark, by the names for `--only`. */
export const jobs = { list, million, limiter, cold };

const isAnswered = /"statusCode":200/;

/**
 * Measures the CPU time of a full page of orders for each implementation.
 *
 * Each process reads several lists, and only the second half of the lists counts, because V8 compiles code that runs
 * often.
 */
async function list({ bundles, isQuick, measure }: Workbench): Promise<Findings> {
  const contestants = {
    ours: { bundleFile: bundles.ours.listOrders, lists: 8, coding: '' },
    documentClient: { bundleFile: bundles.own.documentClient, lists: 2, coding: '' },
    gzip: { bundleFile: bundles.ours.listOrders, lists: 8, coding: 'gzip' },
    zstd: { bundleFile: bundles.ours.listOrders, lists: 8, coding: 'zstd' },
  };
  // More than one page, so that a loss of orders between pages would be noticed.
  const pages = isQuick ? 2 : 48;
  const rounds = await interleave(isQuick ? 1 : 7, contestants, async (contestant) => {
    const { bundleFile, lists, coding } = contestant;
    const event = proxyEvent({ headers: coding ? { 'Accept-Encoding': coding } : {} });
    const batches = Array<number>(isQuick ? 2 : lists).fill(1);
    const result = await measure({ bundleFile, event, batches }, isAnswered, { pages });
    const cpuMs = result.batches.slice(batches.length / 2).map((list) => list.cpuMs / pages);
    return {
      steadyCpuMs: median(cpuMs),
      bytesPerOrder: result.batches.at(-1)!.bytes / pages / ordersPerFullPage,
    };
  });
  const { ours, documentClient } = rounds;
  // Compared, because a list that leaves orders out is shorter, and its speed means nothing.
  const bytes = [ours, documentClient].map(([round]) => round!.bytesPerOrder);
  if (new Set(bytes).size > 1) throw new Error(`The lists differ in bytes per order: ${bytes}.`);
  return {
    title: `List: one page of ${ordersPerFullPage} orders`,
    rounds,
    figures: {
      list_cpu_vs_document_client: medianRatio(ours, documentClient, 'steadyCpuMs'),
    },
  };
}

/** Measures the time and memory of a list of a million orders, and the time that segments save. */
async function million({ bundles, isQuick, measure }: Workbench): Promise<Findings> {
  const pages = isQuick ? 2 : Math.ceil(1_000_000 / ordersPerFullPage);
  const tables = {
    'no delay': { pages },
    '40 ms a page': { pages, delayMs: 40 },
    '40 ms a page, one segment': { pages, delayMs: 40, isUnsegmented: true },
  };
  const bundleFile = bundles.ours.listOrders;
  const job = { bundleFile, event: proxyEvent(), batches: [1] };
  // Each list has a fresh process, so that the memory of a single list is measured.
  const rounds = await interleave(isQuick ? 1 : 3, tables, async (table) => {
    const { batches, peakRssMb } = await measure(job, isAnswered, table);
    return { wallMs: batches[0]!.wallMs, peakRssMb };
  });
  const { '40 ms a page': segmented, '40 ms a page, one segment': sequential } = rounds;
  return {
    title: `List: ${pages * ordersPerFullPage} orders in one answer, in a fresh process`,
    rounds,
    figures: {
      million_peak_rss_mb: medianOf(rounds['no delay'], 'peakRssMb'),
      million_wall_vs_one_segment_at_40ms_pages: medianRatio(segmented, sequential, 'wallMs'),
    },
  };
}

/** Measures the cost of a request in a warm process: CPU time, requests to DynamoDB and write units. */
async function limiter({ bundles, isQuick, measure }: Workbench): Promise<Findings> {
  const contestants = {
    ours: { bundleFile: bundles.ours.authorizer, isMinuteFull: false },
    peer: { bundleFile: bundles.own.rateLimiterFlexible, isMinuteFull: false },
    overLimit: { bundleFile: bundles.ours.authorizer, isMinuteFull: true },
  };
  const event = authorizerEvent(`Bearer ${exampleToken()}`);
  const batches = isQuick ? [10, 10] : [500, 1_500];
  const rounds = await interleave(isQuick ? 1 : 7, contestants, async (contestant) => {
    const { bundleFile, isMinuteFull } = contestant;
    const answer = isMinuteFull ? /"Effect":"Deny"/ : /"Effect":"Allow"/;
    const tables = { pages: 0, isMinuteFull };
    const [, warm] = (await measure({ bundleFile, event, batches }, answer, tables)).batches;
    const { cpuMs, requests, writeUnits } = warm!;
    return { cpuMs, requests, writeUnits };
  });
  const { ours, peer, overLimit } = rounds;
  return {
    title: 'Limiter: one request',
    rounds,
    figures: {
      limiter_round_trips: medianOf(ours, 'requests'),
      limiter_cpu_vs_rate_limiter_flexible: medianRatio(ours, peer, 'cpuMs'),
      limiter_over_limit_writes: medianOf(overLimit, 'writeUnits'),
    },
  };
}

/** Measures loading and the first call of each function, compared with esbuild's default bundle. */
async function cold({ bundles, isQuick, measure }: Workbench): Promise<Findings> {
  const title = 'Cold start: bundle load and first answer';
  const findings: Findings = { title, rounds: {}, figures: {} };
  for (const name of functionNames) {
    const { event, answer } = calls[name]();
    const contestants = { ours: bundles.ours[name], peer: bundles.byDefault[name] };
    const { ours, peer } = await interleave(isQuick ? 1 : 31, contestants, async (bundleFile) => {
      const job = { bundleFile, event, batches: [1] };
      const { load, batches } = await measure(job, answer, { pages: 1, ordersPerPage: 50 });
      const bundleKb = statSync(bundleFile).size / 1024;
      return { wallMs: load.wallMs + batches[0]!.wallMs, bundleKb };
    });
    findings.rounds[`${name}, ours`] = ours;
    findings.rounds[`${name}, esbuild's default`] = peer;
    const coldVsDefaultBundle = medianRatio(ours, peer, 'wallMs');
    Object.assign(findings.figures, coldFigures(name, coldVsDefaultBundle, ours[0]!.bundleKb));
  }
  return findings;
}

const calls = {
  authorizer: () => ({
    event: authorizerEvent(`Bearer ${exampleToken()}`),
    answer: /"Effect":"Allow"/,
  }),
  listOrders: () => ({ event: proxyEvent(), answer: /"statusCode":200/ }),
  cancelOrder: () => ({ event: cancelEvent('1'), answer: /"statusCode":204/ }),
} satisfies Record<FunctionName, unknown>;
