import {
  InterruptedError,
  NotFoundError,
  OperatorError,
  WrongStateError,
} from '../../shared/errors.ts';
import { counted, grouped } from '../console/view.ts';
import { scanPages } from '../stage/dynamodb-calls.ts';
import type { OrdersTable } from '../stage/orders-table.ts';
import { failureText, mayBeDone } from '../stage/service-failure.ts';
import { changeOrder } from './change-order.ts';
import type { StoredOrder } from './find-order.ts';

/** Selects cancelled orders. Both times are milliseconds since the epoch, and inclusive. */
export interface Selection {
  /** The id of the client's key, or the name of an operator. */
  readonly cancelledBy: string;
  readonly sinceMs: number;
  readonly untilMs: number;
}

interface Reopening {
  readonly selection: Selection;
  readonly table: OrdersTable;
  /** The operator's name. @default - a dry run, which writes nothing */
  readonly by: string | undefined;
  readonly now: () => number;
  readonly onProgress: (text: string) => void;
  readonly signal: AbortSignal;
}

/** The number of orders that are changed at the same time. */
const atOnce = 8;

/**
 * Reopens orders that were cancelled by mistake, each with one conditional write. All state is in the table,
 * so running it again after an interruption completes it.
 *
 * @throws OperatorError if it is interrupted or fails
 */
export async function reopenOrders(reopening: Reopening) {
  const { selection, table, by, onProgress, signal } = reopening;
  const counts = {
    /** The number of orders that are reopened or, in a dry run, would be. */
    reopened: 0,
    /** The number of orders that are skipped because somebody changed them after they were read. */
    changed: 0,
    /** The number that are skipped because they were reopened after `sinceMs` and cancelled again. */
    cancelledAgain: 0,
  };
  const hours = new Map<string, number>();
  let read = 0;
  let isKnown = false;
  const reopen = async (order: StoredOrder) => {
    if (!(await isReopened(order, reopening))) {
      counts.changed++;
      return;
    }
    counts.reopened++;
    const hour = `${new Date(String(order.cancelledAt)).toISOString().slice(0, 13)}:00Z`;
    hours.set(hour, (hours.get(hour) ?? 0) + 1);
  };
  try {
    for await (const page of scanPages(table.documents, table.tableName)) {
      isKnown ||= page.some(({ cancelledBy }) => cancelledBy === selection.cancelledBy);
      const meant = page.filter((order) => isMeant(order, selection));
      const open = meant.filter((order) => !(timeOf(order.reopenedAt) >= selection.sinceMs));
      counts.cancelledAgain += meant.length - open.length;
      for (let start = 0; start === 0 || start < open.length; start += atOnce) {
        signal.throwIfAborted();
        onProgress(`${counted(read, 'order')} read, ${grouped(counts.reopened)} selected`);
        // This waits for all of them, so that none continues after the command has ended.
        const ended = await Promise.allSettled(open.slice(start, start + atOnce).map(reopen));
        for (const each of ended) if (each.status === 'rejected') throw each.reason;
      }
      read += page.length;
    }
  } catch (cause) {
    const done = by
      ? `stopped with ${counted(counts.reopened, 'order')} reopened`
      : 'nothing was written';
    // Without --until, a second run would also reopen later cancellations.
    const remedy = `run the command again with --until ${new Date(selection.untilMs).toISOString()}`;
    if (signal.aborted) throw new InterruptedError(`${done}: interrupted`, { remedy });
    throw new OperatorError(`${done}: ${failureText(cause)}`, { cause, remedy });
  }
  if (!isKnown) throw new NotFoundError(`No order was cancelled by ${selection.cancelledBy}`);
  const sorted = [...hours].sort(([one], [other]) => (one < other ? -1 : 1));
  /** The reopened orders by the hour in which they were cancelled. */
  return { ...counts, hours: sorted.map(([hour, orders]) => ({ hour, orders })) };
}

function isMeant(
  { status, cancelledBy, cancelledAt }: StoredOrder,
  { cancelledBy: who, sinceMs, untilMs }: Selection,
): boolean {
  const timeMs = timeOf(cancelledAt);
  return status === 'cancelled' && cancelledBy === who && timeMs >= sinceMs && timeMs <= untilMs;
}

function timeOf(time: unknown): number {
  return Date.parse(String(time));
}

/** Reopens an order, unless somebody has changed it since it was read. */
async function isReopened(order: StoredOrder, { table, by, now }: Reopening): Promise<boolean> {
  if (by === undefined) return true;
  try {
    await changeOrder(order, { verb: 'reopen', by, nowMs: now() }, table);
    return true;
  } catch (error) {
    if (error instanceof WrongStateError) return false;
    if (!mayBeDone(error)) throw error;
    const problem = `${failureText(error)}; "./admin orders show ${order.id}" shows whether it was`;
    throw new OperatorError(problem, { cause: error });
  }
}
