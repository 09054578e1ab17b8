import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../lambdas/domain/item.ts';
import {
  InterruptedError,
  NotFoundError,
  OperatorError,
  WrongStateError,
} from '../../shared/errors.ts';
import { counted, grouped } from '../console/view.ts';
import { failureText } from '../stage/service-failure.ts';
import { changeOrder } from './change-order.ts';
import { inParallel } from './parallel.ts';
import { type RetryingTable, writeOnce } from './repeated-calls.ts';
import { scanOrders } from './stored-orders.ts';

/** Selects cancelled orders. Both times are milliseconds since the epoch, and inclusive. */
export interface Selection {
  /** The id of the client's key, or the name of an operator. */
  readonly cancelledBy: string;
  readonly sinceMs: number;
  readonly untilMs: number;
}

interface Reopening {
  readonly selection: Selection;
  readonly table: RetryingTable;
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
  const ids = {
    /** The orders that are reopened or, in a dry run, would be. */
    reopened: [] as string[],
    /** The orders that are skipped because somebody changed them after they were read. */
    changed: [] as string[],
    /** The orders that are skipped because they were reopened after `sinceMs` and cancelled again. */
    cancelledAgain: [] as string[],
  };
  const hours = new Map<string, number>();
  let read = 0;
  let isKnown = false;
  const meant = async function* () {
    for await (const page of scanOrders(table)) {
      isKnown ||= page.some(({ cancelledBy }) => cancelledBy?.S === selection.cancelledBy);
      for (const order of page) {
        signal.throwIfAborted();
        if (isMeant(order, selection)) yield order;
      }
      read += page.length;
      tellProgress();
    }
  };
  const tellProgress = () =>
    onProgress(`${counted(read, 'order')} read, ${grouped(ids.reopened.length)} selected`);
  const reopen = async (order: Item) => {
    tellProgress();
    const id = order.id!.N!;
    if (timeOf(order.reopenedAt) >= selection.sinceMs) return ids.cancelledAgain.push(id);
    if (!(await isReopened(order, reopening))) return ids.changed.push(id);
    const hour = `${new Date(timeOf(order.cancelledAt)).toISOString().slice(0, 13)}:00Z`;
    hours.set(hour, (hours.get(hour) ?? 0) + 1);
    return ids.reopened.push(id);
  };
  try {
    await inParallel(meant(), atOnce, reopen);
  } catch (cause) {
    const done = by
      ? `stopped with ${counted(ids.reopened.length, 'order')} reopened`
      : 'nothing was written';
    // Without --until, a second run would also reopen later cancellations.
    const remedy = `run the command again with --until ${new Date(selection.untilMs).toISOString()}`;
    if (signal.aborted) throw new InterruptedError(`${done}: interrupted`, { remedy });
    throw new OperatorError(`${done}: ${failureText(cause)}`, { cause, remedy });
  }
  if (!isKnown) throw new NotFoundError(`No order was cancelled by ${selection.cancelledBy}`);
  const sorted = [...hours].sort(([one], [other]) => (one < other ? -1 : 1));
  /** The reopened orders by the hour in which they were cancelled. */
  return { ...ids, hours: sorted.map(([hour, orders]) => ({ hour, orders })) };
}

function isMeant(
  { status, cancelledBy, cancelledAt }: Item,
  { cancelledBy: who, sinceMs, untilMs }: Selection,
): boolean {
  const timeMs = timeOf(cancelledAt);
  return (
    status?.S === 'cancelled' && cancelledBy?.S === who && timeMs >= sinceMs && timeMs <= untilMs
  );
}

function timeOf(time: AttributeValue | undefined): number {
  return Date.parse(time?.S ?? '');
}

/** Reopens an order, unless somebody has changed it since it was read. */
async function isReopened(order: Item, { table, by, now }: Reopening): Promise<boolean> {
  if (by === undefined) return true;
  const change = { verb: 'reopen', by, nowMs: now() } as const;
  return writeOnce(order, table, () => changeOrder(order, change, table)).then(
    () => true,
    (error) => {
      if (error instanceof WrongStateError) return false;
      throw error;
    },
  );
}
