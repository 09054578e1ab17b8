import { ordersPerFullPage } from './canned-orders.ts';
import { listTable } from './list.ts';
import { type Findings, mediansOf } from './report.ts';
import { interleave, type Workbench } from './workbench.ts';

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
