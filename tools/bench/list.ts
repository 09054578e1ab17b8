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
  calls = 1,
): Promise<JobResult> {
  const event = listEvent(isGzipAccepted ? { 'Accept-Encoding': 'gzip' } : {});
  const batches = Array<number>(calls).fill(1);
  const job = { bundleFile, event, isStreaming, batches };
  return measure(job, /"statusCode":200/, JSON.stringify(table));
}

/** Measures the CPU time of a full page of orders for each implementation. */
export async function benchList(bench: Workbench): Promise<Findings> {
  const { ours, own } = bench.bundles;
  const contestants = {
    ours: { bundleFile: ours.listOrders },
    'ours, gzip accepted': { bundleFile: ours.listOrders, isGzipAccepted: true },
    'DocumentClient, streamed': { bundleFile: own.listStreamed },
    'DocumentClient, buffered': { bundleFile: own.listBuffered, isStreaming: false },
    'bare HTTP, undecoded': { bundleFile: own.listBareHttp },
  };
  const measured = mediansOf(
    await interleave(bench.isQuick ? 1 : 5, contestants, (kind) => measureList(bench, kind)),
  );
  const { ours: our, 'DocumentClient, streamed': streamed } = measured;
  // A list that leaves orders out is shorter, and its speed means nothing.
  if (our.bytesPerOrder !== streamed.bytesPerOrder) {
    throw new Error(
      `Of an order, ours wrote ${our.bytesPerOrder} bytes, the peer ${streamed.bytesPerOrder}.`,
    );
  }
  return {
    title: `List: each page of ${ordersPerFullPage} orders`,
    measured,
    figures: {
      list_cpu_vs_document_client: our.steadyCpuMs / streamed.steadyCpuMs,
      list_cpu_vs_bare_http: our.steadyCpuMs / measured['bare HTTP, undecoded'].steadyCpuMs,
    },
  };
}

/** Measures a short list in a fresh process, and long lists in another one after a warm-up list. */
async function measureList(bench: Workbench, kind: ListKind) {
  // More than one, so that orders which are lost between pages are missed.
  const firstPages = bench.isQuick ? 2 : 12;
  const manyPages = bench.isQuick ? 1 : 48;
  const list = async (pages: number, calls: number) =>
    (await listTable(bench, kind, { orders: pages * ordersPerFullPage }, calls)).batches;
  const [first] = await list(firstPages, 1);
  const [, ...steady] = await list(manyPages, bench.isQuick ? 2 : 3);
  return {
    steadyCpuMs: median(steady.map(({ cpuMs }) => cpuMs)) / manyPages,
    first12PagesCpuMs: first!.cpuMs / firstPages,
    bytesPerOrder: first!.bytes / (firstPages * ordersPerFullPage),
  };
}
