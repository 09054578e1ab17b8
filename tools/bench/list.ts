import { type OrdersTable, ordersPerFullPage } from './canned-orders.ts';
import { listEvent } from './events.ts';
import type { Job, JobResult } from './measured-process.ts';
import { type Findings, median, mediansOf } from './report.ts';
import { interleave, type Workbench } from './workbench.ts';

/** A list and the form of the request. */
export interface ListKind extends Partial<Pick<Job, 'isStreaming'>> {
  readonly bundleFile: string;
  readonly isGzipAccepted?: boolean;
}

/** Lists a canned table in a fresh process, each time in a batch of its own. */
export function listTable(
  { measure }: Workbench,
  { bundleFile, isGzipAccepted, isStreaming = true }: ListKind,
  table: OrdersTable,
  { calls = 1, isChecked = false } = {},
): Promise<JobResult> {
  const event = listEvent(isGzipAccepted ? { 'Accept-Encoding': 'gzip' } : {});
  const batches = Array<number>(calls).fill(1);
  const job = { bundleFile, event, isStreaming, batches, isChecked };
  return measure(job, /"statusCode":200/, JSON.stringify(table));
}

/** Measures the CPU time of a full page of orders for each implementation. */
export async function benchList(bench: Workbench): Promise<Findings> {
  const { ours, own } = bench.bundles;
  const complete = {
    ours: { bundleFile: ours.listOrders },
    'ours, gzip accepted': { bundleFile: ours.listOrders, isGzipAccepted: true },
    'DocumentClient, streamed': { bundleFile: own.listStreamed },
    'DocumentClient, buffered': { bundleFile: own.listBuffered, isStreaming: false },
  };
  const contestants = { ...complete, 'bare HTTP, undecoded': { bundleFile: own.listBareHttp } };
  for (const kind of Object.values(complete)) await requireAllOrders(bench, kind);
  const measured = mediansOf(
    await interleave(bench.isQuick ? 1 : 5, contestants, (kind) => measureList(bench, kind)),
  );
  const { steadyCpuMs } = measured.ours;
  return {
    title: `List: each page of ${ordersPerFullPage} orders`,
    measured,
    figures: {
      list_cpu_vs_document_client: steadyCpuMs / measured['DocumentClient, streamed'].steadyCpuMs,
      list_cpu_vs_bare_http: steadyCpuMs / measured['bare HTTP, undecoded'].steadyCpuMs,
    },
  };
}

/** Measures a short list in a fresh process, and long lists in another one after a warm-up list. */
async function measureList(bench: Workbench, kind: ListKind) {
  const firstPages = bench.isQuick ? 1 : 12;
  const manyPages = bench.isQuick ? 1 : 48;
  const list = async (pages: number, calls: number) =>
    (await listTable(bench, kind, { orders: pages * ordersPerFullPage }, { calls })).batches;
  const [first] = await list(firstPages, 1);
  const [, ...steady] = await list(manyPages, bench.isQuick ? 2 : 3);
  return {
    steadyCpuMs: median(steady.map(({ cpuMs }) => cpuMs)) / manyPages,
    first12PagesCpuMs: first!.cpuMs / firstPages,
    bytesPerOrder: first!.bytes / (firstPages * ordersPerFullPage),
  };
}

/** @throws Error if a list is incomplete, because its speed would mean nothing */
async function requireAllOrders(bench: Workbench, kind: ListKind): Promise<void> {
  // More than a page, so that what is lost between pages would be missed.
  const orders = bench.isQuick ? ordersPerFullPage + 500 : 25_000;
  const listed = await listTable(bench, kind, { orders }, { isChecked: true });
  if (listed.orders === orders) return;
  throw new Error(`${kind.bundleFile} listed ${listed.orders} of ${orders} orders.`);
}
