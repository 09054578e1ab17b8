import { type OrdersTable, operationEvent, ordersPerFullPage } from './canned-orders.ts';
import type { JobResult } from './measured-process.ts';
import { type Findings, median, medianRatio, mediansOf } from './report.ts';
import { interleave, type Workbench } from './workbench.ts';

/** Lists a canned table in a fresh process, each time in a batch of its own. */
function listTable(
  { measure }: Workbench,
  { bundleFile, coding }: { bundleFile: string; coding?: string },
  table: OrdersTable,
  calls = 1,
): Promise<JobResult> {
  const event = operationEvent('listOrders', coding ? { 'Accept-Encoding': coding } : {});
  const batches = Array<number>(calls).fill(1);
  const job = { bundleFile, event, batches };
  return measure(job, /"statusCode":200/, table);
}

/**
 * Measures the CPU time of a full page of orders for each implementation.
 *
 * Each process reads several lists, and only the second half of them counts. The bare HTTP peer takes a
 * third less time when V8 has compiled all of Node's code that it runs, which takes four lists.
 * DocumentClient takes much longer for a list, and needs one.
 */
export async function benchList(bench: Workbench): Promise<Findings> {
  const { ours, own } = bench.bundles;
  const contestants = {
    ours: { bundleFile: ours.listOrders, lists: 8 },
    'bare HTTP, undecoded': { bundleFile: own.listBareHttp, lists: 8 },
    'ours, gzip': { bundleFile: ours.listOrders, lists: 8, coding: 'gzip' },
    'ours, zstd': { bundleFile: ours.listOrders, lists: 8, coding: 'zstd' },
    'DocumentClient, streamed': { bundleFile: own.listStreamed, lists: 2 },
  };
  // More than one, so that losing orders between pages would be noticed.
  const pages = bench.isQuick ? 2 : 48;
  const orders = pages * ordersPerFullPage;
  const rounds = await interleave(bench, 7, contestants, async (kind) => {
    const { batches } = await listTable(bench, kind, { orders }, bench.isQuick ? 2 : kind.lists);
    const cpuMs = batches.map((list) => list.cpuMs / pages);
    return {
      steadyCpuMs: median(cpuMs.slice(batches.length / 2)),
      bytesPerOrder: batches[0]!.bytes / orders,
    };
  });
  const measured = mediansOf(rounds);
  const { ours: our, 'DocumentClient, streamed': streamed } = measured;
  // A list that leaves orders out is shorter, and its speed means nothing.
  if (our.bytesPerOrder !== streamed.bytesPerOrder) {
    const bytes = `${our.bytesPerOrder} bytes per order, the peer ${streamed.bytesPerOrder}`;
    throw new Error(`Ours wrote ${bytes}.`);
  }
  const ratioTo = (peer: keyof typeof contestants) =>
    medianRatio(rounds.ours, rounds[peer], 'steadyCpuMs');
  return {
    title: `List: one page of ${ordersPerFullPage} orders`,
    measured,
    figures: {
      list_cpu_vs_document_client: ratioTo('DocumentClient, streamed'),
      list_cpu_vs_bare_http: ratioTo('bare HTTP, undecoded'),
    },
  };
}

/** Measures the time and memory of a list of a million orders, and the time that segments save. */
export async function benchMillion(bench: Workbench): Promise<Findings> {
  const orders = bench.isQuick ? 2 * ordersPerFullPage : 1_000_000;
  const tables = {
    'no delay': { orders },
    '40 ms a page': { orders, delayMs: 40 },
    '40 ms a page, one segment': { orders, delayMs: 40, isUnsegmented: true },
  };
  const kind = { bundleFile: bench.bundles.ours.listOrders };
  // Each list has a fresh process, so that the memory is that of a single list.
  const rounds = await interleave(bench, 3, tables, async (table) => {
    const { batches, peakRssMb } = await listTable(bench, kind, table);
    return { wallMs: batches[0]!.wallMs, peakRssMb };
  });
  const measured = mediansOf(rounds);
  const { '40 ms a page': segmented, '40 ms a page, one segment': sequential } = measured;
  return {
    title: `List: ${orders} orders in one answer, in a fresh process`,
    measured,
    figures: {
      million_peak_rss_mb: measured['no delay'].peakRssMb,
      million_wall_vs_one_segment_at_40ms_pages: segmented.wallMs / sequential.wallMs,
    },
  };
}
