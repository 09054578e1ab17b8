import type { BundleFile } from './bundles.ts';
import { listEvent } from './events.ts';
import type { Findings, Measurement } from './figures.ts';
import { interleave, median } from './interleave.ts';
import type { ListResult } from './job.ts';
import { ordersPerFullPage, ordersTableName } from './orders-table.ts';
import type { Workbench } from './workbench.ts';

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
  const results = await interleave(bench.isQuick ? 1 : 7, {
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

/** Lists one table over and over: the first time cold, then warm, and measured after that. */
async function measureList(
  { measure, isQuick }: Workbench,
  { file }: BundleFile,
  { headers = {}, isStreaming = true } = {},
): Promise<PageCost> {
  const pages = isQuick ? 2 : 12;
  const orders = pages * ordersPerFullPage;
  const warmCalls = isQuick ? 1 : 4;
  const result = await measure(
    {
      kind: 'list',
      bundleFile: file,
      event: listEvent(headers),
      isStreaming,
      calls: warmCalls + (isQuick ? 1 : 4),
      isChecked: false,
    },
    { ORDERS_TABLE: ordersTableName({ orders }) },
  );
  return pageCost(result, pages, warmCalls);
}

/** @throws Error when a list leaves orders out; it could be as fast as it liked */
async function requireAllOrders(
  { measure }: Workbench,
  { file }: BundleFile,
  { headers = {}, isStreaming = true } = {},
): Promise<void> {
  const orders = 25_000;
  const event = listEvent(headers);
  const { calls } = await measure(
    { kind: 'list', bundleFile: file, event, isStreaming, calls: 1, isChecked: true },
    { ORDERS_TABLE: ordersTableName({ orders }) },
  );
  const listed = calls[0]!.orders;
  if (listed !== orders) throw new Error(`${file} listed ${listed} of ${orders} orders.`);
}

function pageCost({ calls }: ListResult, pages: number, warmCalls: number): PageCost {
  const [first] = calls;
  const steady = median(calls.slice(warmCalls).map(({ cpuMs }) => cpuMs));
  return {
    firstCpuMs: first!.cpuMs / pages,
    steadyCpuMs: steady / pages,
    bytesPerOrder: first!.bytes / (pages * ordersPerFullPage),
  };
}

function describe(name: string, costs: PageCost[]): Measurement[] {
  const middle = (figure: keyof PageCost) => median(costs.map((cost) => cost[figure]));
  return [
    { what: `${name}: steady`, value: middle('steadyCpuMs'), unit: 'ms' },
    { what: `${name}: first call`, value: middle('firstCpuMs'), unit: 'ms' },
    { what: `${name}: answer`, value: middle('bytesPerOrder'), unit: 'bytes per order' },
  ];
}
