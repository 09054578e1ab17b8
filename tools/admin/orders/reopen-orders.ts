import { InterruptedError, OperatorError, WrongStateError } from '../../shared/errors.ts';
import { counted } from '../console/view.ts';
import { scanPages } from '../stage/dynamodb-calls.ts';
import { failureText } from '../stage/service-failure.ts';
import { changeOrder } from './change-order.ts';
import type { OrdersTable, StoredOrder } from './orders-table.ts';

/** Which cancelled orders are meant. The times are milliseconds since the epoch, both included. */
export interface Selection {
  /** The id of the client's key, or the name of an operator. */
  readonly cancelledBy: string;
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** What becomes of the orders that are meant. */
interface ReopenCounts {
  /** Those that are reopened or, in a dry run, would be. */
  reopened: number;
  /** Those that somebody has changed after they were read. They are left as they are. */
  changed: number;
  /**
   * Those that were reopened within the time, and then cancelled again. They are left as they are, so that a
   * second run undoes no later cancellation.
   */
  cancelledAgain: number;
}

interface Reopening {
  readonly selection: Selection;
  readonly table: OrdersTable;
  /** Is told how many orders of the table have been read, and how many of them are reopened. */
  readonly onProgress: (read: number, reopened: number) => void;
  readonly signal: AbortSignal;
}

/** The number of orders that are changed at the same time. */
const atOnce = 8;

/**
 * Reopens orders that were cancelled by mistake, each in one conditional write. It keeps no state outside
 * the table: after an interruption, it is run again.
 *
 * @param by the operator's name
 * @throws OperatorError when it was interrupted, or DynamoDB has failed
 */
export async function reopenOrders(
  reopening: Reopening,
  by: string,
  now: () => number,
): Promise<ReopenCounts> {
  const { table, signal } = reopening;
  const counts = { reopened: 0, changed: 0, cancelledAgain: 0 };
  const reopen = async (order: StoredOrder) => {
    const isReopened = await changeOrder(order, { verb: 'reopen', by, nowMs: now() }, table)
      .then(() => true)
      .catch(isChanged);
    counts[isReopened ? 'reopened' : 'changed']++;
  };
  try {
    for await (const orders of selectedOrders(reopening, counts)) {
      for (let start = 0; start < orders.length; start += atOnce) {
        signal.throwIfAborted();
        // All of them are waited for, so that none continues after the command has ended.
        const ended = await Promise.allSettled(orders.slice(start, start + atOnce).map(reopen));
        for (const each of ended) if (each.status === 'rejected') throw each.reason;
      }
    }
    return counts;
  } catch (error) {
    throw stopped(error, `stopped with ${counted(counts.reopened, 'order')} reopened`, signal);
  }
}

/** What a dry run says: the number of orders that would be reopened, by the hour of the cancellation. */
export async function countByHour(reopening: Reopening) {
  const counts = { reopened: 0, changed: 0, cancelledAgain: 0 };
  const hours = new Map<string, number>();
  try {
    for await (const orders of selectedOrders(reopening, counts)) {
      counts.reopened += orders.length;
      for (const { cancelledAt } of orders) {
        const hour = `${new Date(String(cancelledAt)).toISOString().slice(0, 13)}:00Z`;
        hours.set(hour, (hours.get(hour) ?? 0) + 1);
      }
    }
  } catch (error) {
    throw stopped(error, 'nothing was written', reopening.signal);
  }
  const sorted = [...hours].sort(([one], [other]) => (one < other ? -1 : 1));
  return { counts, hours: sorted.map(([hour, orders]) => ({ hour, orders })) };
}

/** Reads the table, and yields the orders that are to be reopened page by page. */
async function* selectedOrders(
  { selection, table, onProgress, signal }: Reopening,
  counts: ReopenCounts,
): AsyncGenerator<StoredOrder[]> {
  const { cancelledBy, sinceMs, untilMs } = selection;
  const isMeant = ({ status, cancelledBy: by, cancelledAt }: StoredOrder) => {
    const timeMs = Date.parse(String(cancelledAt));
    return status === 'cancelled' && by === cancelledBy && timeMs >= sinceMs && timeMs <= untilMs;
  };
  let read = 0;
  for await (const page of scanPages(table.dynamodb, table.tableName)) {
    signal.throwIfAborted();
    const meant = page.filter(isMeant);
    const open = meant.filter(({ reopenedAt }) => !(Date.parse(String(reopenedAt)) >= sinceMs));
    counts.cancelledAgain += meant.length - open.length;
    yield open;
    read += page.length;
    onProgress(read, counts.reopened);
  }
}

/** An order that was changed after it was read is left as it is. */
function isChanged(error: unknown): false {
  if (error instanceof WrongStateError) return false;
  throw error;
}

function stopped(cause: unknown, state: string, { aborted }: AbortSignal): OperatorError {
  const remedy = 'run the command again';
  if (aborted) return new InterruptedError(`${state}: interrupted`, { remedy });
  return new OperatorError(`${state}: ${failureText(cause)}`, { cause, remedy });
}
