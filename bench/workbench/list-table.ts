import { type OrdersTable, ordersTableName } from '../doubles/orders-table.ts';
import type { BundleFile } from './bundles.ts';
import { listEvent } from './events.ts';
import type { ListCall, ListResult } from './job.ts';
import type { Workbench } from './workbench.ts';

/** The canned table to list, and the form of the request. */
export interface ListRequest extends Partial<OrdersTable> {
  readonly orders: number;
  readonly headers?: Record<string, string>;
  /** @default true */
  readonly isStreaming?: boolean;
  /** @default 1 */
  readonly calls?: number;
  /** @default false */
  readonly isChecked?: boolean;
}

export const acceptGzip = { 'Accept-Encoding': 'gzip' };

/** Lists a table in a fresh process. */
export function listTable(
  { measure }: Workbench,
  { file }: BundleFile,
  { headers, isStreaming = true, calls = 1, isChecked = false, ...table }: ListRequest,
): Promise<ListResult> {
  return measure(
    { kind: 'list', bundleFile: file, event: listEvent(headers), isStreaming, calls, isChecked },
    { ORDERS_TABLE: ordersTableName(table) },
  );
}

export type Listing = Omit<ListCall, 'orders'> & { peakRssMb: number; megabytes: number };

/** Lists a table once in a fresh process, so that the memory is that of a single list. */
export async function listOnce(
  bench: Workbench,
  bundle: BundleFile,
  request: ListRequest,
): Promise<Listing> {
  const { calls, peakRssMb } = await listTable(bench, bundle, request);
  const { orders: _, ...call } = calls[0]!;
  return { ...call, peakRssMb, megabytes: call.bytes / 1e6 };
}
