import type { BundleFile } from './bundles.ts';
import { ordersPerFullPage } from './canned-orders.ts';
import { type Findings, median, medianOf, mediansOf } from './report.ts';
import { interleave, type ListRequest, listTable, type Workbench } from './workbench.ts';

type Kind = Pick<ListRequest, 'isGzipAccepted' | 'isStreaming'>;

const contestants = {
  ours: 'ours',
  oursGzipped: 'ours, gzip accepted',
  streamed: 'DocumentClient + JSON.stringify, streamed',
  buffered: 'DocumentClient + JSON.stringify, buffered',
  bareHttp: 'bare HTTP, nothing decoded',
};

/** Measures the CPU time of a full page of orders for each implementation. */
export async function benchList(bench: Workbench): Promise<Findings> {
  const { ours, peers } = bench.bundles;
  await requireAllOrders(bench, ours.listOrders);
  await requireAllOrders(bench, ours.listOrders, { isGzipAccepted: true });
  await requireAllOrders(bench, peers.listStreamed);
  await requireAllOrders(bench, peers.listBuffered, { isStreaming: false });
  const results = await interleave(bench.isQuick ? 1 : 5, {
    ours: () => measureList(bench, ours.listOrders),
    oursGzipped: () => measureList(bench, ours.listOrders, { isGzipAccepted: true }),
    streamed: () => measureList(bench, peers.listStreamed),
    buffered: () => measureList(bench, peers.listBuffered, { isStreaming: false }),
    bareHttp: () => measureList(bench, peers.listBareHttp),
  });
  const steady = (name: keyof typeof contestants) => medianOf(results[name], 'steadyCpuMs');
  return {
    title: `List: CPU for each page of ${ordersPerFullPage} orders`,
    measurements: mediansOf(contestants, results, [
      ['steady', 'steadyCpuMs', 'ms'],
      ['first 12 pages', 'firstCpuMs', 'ms'],
      ['answer', 'bytesPerOrder', 'bytes per order'],
    ]),
    figures: {
      list_cpu_vs_document_client: steady('ours') / steady('streamed'),
      list_cpu_vs_bare_http: steady('ours') / steady('bareHttp'),
    },
  };
}

/** Measures a short list in a fresh process, and long lists in another one after a warm-up list. */
async function measureList(bench: Workbench, bundle: BundleFile, kind: Kind = {}) {
  const firstPages = bench.isQuick ? 1 : 12;
  const manyPages = bench.isQuick ? 1 : 48;
  const manyCalls = bench.isQuick ? 2 : 3;
  const list = async (pages: number, calls: number) =>
    (await listTable(bench, bundle, { ...kind, orders: pages * ordersPerFullPage, calls })).calls;
  const [first] = await list(firstPages, 1);
  const [, ...steady] = await list(manyPages, manyCalls);
  return {
    firstCpuMs: first!.cpuMs / firstPages,
    steadyCpuMs: median(steady.map(({ cpuMs }) => cpuMs)) / manyPages,
    bytesPerOrder: first!.bytes / (firstPages * ordersPerFullPage),
  };
}

/** @throws Error if a list is incomplete, because its speed would mean nothing */
async function requireAllOrders(bench: Workbench, bundle: BundleFile, kind: Kind = {}) {
  // More than a page, so that what is lost between pages would be missed.
  const orders = bench.isQuick ? ordersPerFullPage + 500 : 25_000;
  const { calls } = await listTable(bench, bundle, { ...kind, orders, isChecked: true });
  if (calls[0]!.orders === orders) return;
  throw new Error(`${bundle.file} listed ${calls[0]!.orders} of ${orders} orders.`);
}
