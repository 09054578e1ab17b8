import { type OrdersTable, ordersPerFullPage } from './canned-orders.ts';
import { type ListKind, listTable } from './list.ts';
import { type Findings, mediansOf } from './report.ts';
import { interleave, type Workbench } from './workbench.ts';

/** Measures the time and memory of a list of a million orders, and the time that segments save. */
export async function benchMillion(bench: Workbench): Promise<Findings> {
  const orders = bench.isQuick ? 2 * ordersPerFullPage : 1_000_000;
  const { listOrders: bundleFile } = bench.bundles.ours;
  const { listStreamed } = bench.bundles.own;
  const contestants = {
    ours: { bundleFile, orders },
    'ours, gzip accepted': { bundleFile, orders, isGzipAccepted: true },
    'ours, one page of orders only': { bundleFile, orders: ordersPerFullPage },
    'DocumentClient, streamed': { bundleFile: listStreamed, orders },
    'ours, 40 ms a page': { bundleFile, orders, delayMs: 40 },
    'ours, 40 ms a page, one segment': { bundleFile, orders, delayMs: 40, isUnsegmented: true },
  };
  const measured = mediansOf(
    await interleave(bench.isQuick ? 1 : 3, contestants, (list) => listOnce(bench, list)),
  );
  const { ours, 'ours, 40 ms a page': slow } = measured;
  return {
    title: `List: ${orders} orders in one answer, in a fresh process`,
    measured,
    figures: {
      million_peak_rss_mb: ours.peakRssMb,
      million_wall_vs_one_segment_at_40ms_pages:
        slow.wallMs / measured['ours, 40 ms a page, one segment'].wallMs,
    },
  };
}

/** Lists a table once in a fresh process, so that the memory is that of a single list. */
async function listOnce(
  bench: Workbench,
  { bundleFile, isGzipAccepted, ...table }: ListKind & OrdersTable,
) {
  const kind = { bundleFile, isGzipAccepted };
  const { batches, peakRssMb } = await listTable(bench, kind, table);
  const { cpuMs, wallMs, bytes } = batches[0]!;
  return { cpuMs, wallMs, peakRssMb, answerMb: bytes / 1e6 };
}
