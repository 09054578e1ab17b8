import type { BundleFile } from './bundles.ts';
import { ordersPerFullPage } from './canned-orders.ts';
import { type Findings, medianOf, mediansOf } from './report.ts';
import { interleave, type ListRequest, listTable, type Workbench } from './workbench.ts';

const contestants = {
  ours: 'ours',
  gzipped: 'ours, gzip accepted',
  onePage: `ours, ${ordersPerFullPage} orders only`,
  buffered: 'DocumentClient + JSON.stringify, buffered',
  slowPages: 'ours, 40 ms a page',
  slowPagesOneSegment: 'ours, 40 ms a page, one segment',
};

/** Measures the time and memory of a list of a million orders, and what parallel segments save. */
export async function benchMillion(bench: Workbench): Promise<Findings> {
  const orders = bench.isQuick ? 2 * ordersPerFullPage : 1_000_000;
  const { ours, peers } = bench.bundles;
  const list = (request: Partial<ListRequest> = {}, bundle = ours.listOrders) =>
    listOnce(bench, bundle, { orders, ...request });
  const results = await interleave(bench.isQuick ? 1 : 3, {
    ours: () => list(),
    gzipped: () => list({ isGzipAccepted: true }),
    onePage: () => list({ orders: ordersPerFullPage }),
    buffered: () => list({ isStreaming: false }, peers.listBuffered),
    slowPages: () => list({ delayMs: 40 }),
    slowPagesOneSegment: () => list({ delayMs: 40, isUnsegmented: true }),
  });
  const ratio = (
    figure: 'cpuMs' | 'wallMs',
    one: keyof typeof results,
    other: keyof typeof results,
  ) => medianOf(results[one], figure) / medianOf(results[other], figure);
  return {
    title: `List: ${orders} orders in one answer, in a fresh process`,
    measurements: mediansOf(contestants, results, [
      ['CPU', 'cpuMs', 'ms'],
      ['first byte', 'firstByteMs', 'ms'],
      ['last byte', 'wallMs', 'ms'],
      ['peak memory', 'peakRssMb', 'MB'],
      ['answer', 'megabytes', 'MB'],
    ]),
    figures: {
      million_cpu_vs_document_client_buffered: ratio('cpuMs', 'ours', 'buffered'),
      million_peak_rss_mb: medianOf(results.ours, 'peakRssMb'),
      million_first_byte_ms: medianOf(results.ours, 'firstByteMs'),
      million_wall_vs_one_segment_at_40ms_pages: ratio(
        'wallMs',
        'slowPages',
        'slowPagesOneSegment',
      ),
    },
  };
}

/** Lists a table once in a fresh process, so that the memory is that of a single list. */
async function listOnce(bench: Workbench, bundle: BundleFile, request: ListRequest) {
  const { calls, peakRssMb } = await listTable(bench, bundle, request);
  const { cpuMs, wallMs, firstByteMs, bytes } = calls[0]!;
  return { cpuMs, wallMs, firstByteMs, peakRssMb, megabytes: bytes / 1e6 };
}
