import { ordersPerFullPage, ordersTableName } from './doubles/orders-table.ts';
import type { Findings, Measurement } from './figures.ts';
import type { BundleFile } from './workbench/bundles.ts';
import { listEvent } from './workbench/events.ts';
import { interleave, median } from './workbench/interleave.ts';
import type { ListResult } from './workbench/job.ts';
import type { Workbench } from './workbench/workbench.ts';

interface PageCost {
  firstCpuMs: number;
  steadyCpuMs: number;
  bytesPerOrder: number;
}

const acceptGzip = { 'Accept-Encoding': 'gzip' };

const contestants = {
  ours: 'ours',
  oursGzipped: 'ours, gzip accepted',
  streamed: 'DocumentClient + JSON.stringify, streamed',
  buffered: 'DocumentClient + JSON.stringify, buffered',
  bareHttp: 'bare HTTP, nothing decoded',
};

/** CPU time of a full page of orders, of all implementations side by side. */
export async function benchList(bench: Workbench): Promise<Findings> {
  const { ours, peers } = bench.bundles;
  await requireAllOrders(bench, ours.listOrders);
  await requireAllOrders(bench, ours.listOrders, { headers: acceptGzip });
  await requireAllOrders(bench, peers.listStreamed);
  await requireAllOrders(bench, peers.listBuffered, { isStreaming: false });
  const results = await interleave(bench.isQuick ? 1 : 5, {
    ours: () => measureList(bench, ours.listOrders),
    oursGzipped: () => measureList(bench, ours.listOrders, { headers: acceptGzip }),
    streamed: () => measureList(bench, peers.listStreamed),
    buffered: () => measureList(bench, peers.listBuffered, { isStreaming: false }),
    bareHttp: () => measureList(bench, peers.listBareHttp),
  });
  const steady = (name: keyof typeof contestants) =>
    median(results[name].map(({ steadyCpuMs }) => steadyCpuMs));
  return {
    title: `List: CPU for each page of ${ordersPerFullPage} orders`,
    measurements: (Object.keys(contestants) as (keyof typeof contestants)[]).flatMap((name) =>
      describe(contestants[name], results[name]),
    ),
    figures: {
      list_cpu_vs_document_client: steady('ours') / steady('streamed'),
      list_cpu_vs_bare_http: steady('ours') / steady('bareHttp'),
    },
  };
}

/** First a short list in a fresh process, then long ones in another, which has warmed up by then. */
async function measureList(
  bench: Workbench,
  bundle: BundleFile,
  { headers = {}, isStreaming = true } = {},
): Promise<PageCost> {
  const firstPages = bench.isQuick ? 2 : 12;
  const manyPages = bench.isQuick ? 3 : 48;
  const list = (pages: number, calls: number) =>
    listTable(bench, bundle, { headers, isStreaming, orders: pages * ordersPerFullPage, calls });
  const [first] = (await list(firstPages, 1)).calls;
  const [, ...steady] = (await list(manyPages, 3)).calls;
  return {
    firstCpuMs: first!.cpuMs / firstPages,
    steadyCpuMs: median(steady.map(({ cpuMs }) => cpuMs)) / manyPages,
    bytesPerOrder: first!.bytes / (firstPages * ordersPerFullPage),
  };
}

/** @throws Error when a list leaves orders out; it could be as fast as it liked */
async function requireAllOrders(
  bench: Workbench,
  bundle: BundleFile,
  { headers = {}, isStreaming = true } = {},
): Promise<void> {
  const request = { headers, isStreaming, orders: 25_000, calls: 1, isChecked: true };
  const { calls } = await listTable(bench, bundle, request);
  const listed = calls[0]!.orders;
  if (listed !== request.orders) {
    throw new Error(`${bundle.file} listed ${listed} of ${request.orders} orders.`);
  }
}

interface ListRequest {
  headers: Record<string, string>;
  isStreaming: boolean;
  orders: number;
  calls: number;
  isChecked?: boolean;
}

function listTable(
  { measure }: Workbench,
  { file }: BundleFile,
  { headers, isStreaming, orders, calls, isChecked = false }: ListRequest,
): Promise<ListResult> {
  return measure(
    { kind: 'list', bundleFile: file, event: listEvent(headers), isStreaming, calls, isChecked },
    { ORDERS_TABLE: ordersTableName({ orders }) },
  );
}

function describe(name: string, costs: PageCost[]): Measurement[] {
  const middle = (figure: keyof PageCost) => median(costs.map((cost) => cost[figure]));
  return [
    { what: `${name}: steady`, value: middle('steadyCpuMs'), unit: 'ms' },
    { what: `${name}: first 12 pages`, value: middle('firstCpuMs'), unit: 'ms' },
    { what: `${name}: answer`, value: middle('bytesPerOrder'), unit: 'bytes per order' },
  ];
}
