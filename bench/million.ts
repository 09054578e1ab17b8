import { type OrdersTable, ordersPerFullPage, ordersTableName } from './doubles/orders-table.ts';
import type { Findings, Measurement } from './figures.ts';
import type { BundleFile } from './workbench/bundles.ts';
import { listEvent } from './workbench/events.ts';
import { interleave, median } from './workbench/interleave.ts';
import type { Workbench } from './workbench/workbench.ts';

interface Listing {
  cpuMs: number;
  wallMs: number;
  firstByteMs: number;
  peakRssMb: number;
  megabytes: number;
}

const contestants = {
  ours: 'ours',
  gzipped: 'ours, gzip accepted',
  onePage: `ours, ${ordersPerFullPage} orders only`,
  buffered: 'DocumentClient + JSON.stringify, buffered',
  slowPages: 'ours, 40 ms a page',
  slowPagesOneSegment: 'ours, 40 ms a page, one segment',
};

type Contestant = keyof typeof contestants;

/** A million orders in one answer of a fresh process: time, memory, and what segments gain. */
export async function benchMillion(bench: Workbench): Promise<Findings> {
  const orders = bench.isQuick ? 6 * ordersPerFullPage : 1_000_000;
  const { ours, peers } = bench.bundles;
  const list = (table: Partial<OrdersTable> = {}, headers = {}) =>
    listOnce(bench, ours.listOrders, true, { orders, ...table }, headers);
  const results = await interleave(bench.isQuick ? 1 : 3, {
    ours: () => list(),
    gzipped: () => list({}, { 'Accept-Encoding': 'gzip' }),
    onePage: () => list({ orders: ordersPerFullPage }),
    buffered: () => listOnce(bench, peers.listBuffered, false, { orders }),
    slowPages: () => list({ delayMs: 40 }),
    slowPagesOneSegment: () => list({ delayMs: 40, isUnsegmented: true }),
  });
  return {
    title: `List: ${orders} orders in one answer, in a fresh process`,
    measurements: (Object.keys(contestants) as Contestant[]).flatMap((name) =>
      describe(contestants[name], results[name]),
    ),
    figures: compare(results),
  };
}

function compare(results: Record<Contestant, Listing[]>): Findings['figures'] {
  const middle = (name: Contestant, figure: keyof Listing) =>
    median(results[name].map((listing) => listing[figure]));
  return {
    million_cpu_vs_document_client_buffered: middle('ours', 'cpuMs') / middle('buffered', 'cpuMs'),
    million_peak_rss_mb: middle('ours', 'peakRssMb'),
    million_first_byte_ms: middle('ours', 'firstByteMs'),
    million_wall_vs_one_segment_at_40ms_pages:
      middle('slowPages', 'wallMs') / middle('slowPagesOneSegment', 'wallMs'),
  };
}

async function listOnce(
  { measure }: Workbench,
  { file }: BundleFile,
  isStreaming: boolean,
  table: Partial<OrdersTable> & { orders: number },
  headers: Record<string, string> = {},
): Promise<Listing> {
  const event = listEvent(headers);
  const { calls, peakRssMb } = await measure(
    { kind: 'list', bundleFile: file, event, isStreaming, calls: 1, isChecked: false },
    { ORDERS_TABLE: ordersTableName(table) },
  );
  const { cpuMs, wallMs, firstByteMs, bytes } = calls[0]!;
  return { cpuMs, wallMs, firstByteMs, peakRssMb, megabytes: bytes / 1e6 };
}

function describe(name: string, listings: Listing[]): Measurement[] {
  const middle = (figure: keyof Listing) => median(listings.map((listing) => listing[figure]));
  return [
    { what: `${name}: CPU`, value: middle('cpuMs'), unit: 'ms' },
    { what: `${name}: first byte`, value: middle('firstByteMs'), unit: 'ms' },
    { what: `${name}: last byte`, value: middle('wallMs'), unit: 'ms' },
    { what: `${name}: peak memory`, value: middle('peakRssMb'), unit: 'MB' },
    { what: `${name}: answer`, value: middle('megabytes'), unit: 'MB' },
  ];
}
