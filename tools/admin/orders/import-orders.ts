import { stat } from 'node:fs/promises';
import { BadLineError, InvalidValueError, OperatorError, reasonOf } from '../../shared/errors.ts';
import { counted } from '../console/view.ts';
import { failureText } from '../stage/service-failure.ts';
import {
  type InsertOutcome,
  insertBatchSize,
  insertOrders,
  type RetryingTable,
} from './insert-orders.ts';
import type { OrderItem } from './order-record.ts';
import { readOrders } from './orders-file.ts';

export interface ImportRequest {
  readonly path: string;
  /** With a bad line in the file, `stop` loads no order, and `skip` loads all others. */
  readonly onError: 'stop' | 'skip';
  /** The number of the first line to load, from 1. */
  readonly fromLine: number;
}

/** What can be told of the progress of an import. */
export interface ImportObserver {
  onPhase(phase: 'checking' | 'loading', totalBytes: number): void;
  onProgress(bytes: number, orders: number): void;
  onBadLine(error: BadLineError): void;
  /** Called for an order that is already in the table with other values. */
  onDifferent(error: BadLineError): void;
}

export interface ImportCounts extends Record<InsertOutcome, number> {
  /** The bad lines that were skipped. */
  rejected: number;
}

/** The number of orders that are sent at the same time, in eight batches. */
const roundSize = 8 * insertBatchSize;

/**
 * Imports an orders file of any size in constant memory. Orders that exist are not changed, so an
 * import that was interrupted can be repeated from its first line, or from any other.
 *
 * The orders are loaded in rounds. When a round is complete, all lines before the next one are in the
 * table.
 *
 * @param signal interrupts the import after the round under way
 * @throws OperatorError when a line is bad and `onError` is `stop`, or the import cannot continue
 */
export async function importOrders(
  request: ImportRequest,
  table: RetryingTable,
  observer: Partial<ImportObserver>,
  signal: AbortSignal,
): Promise<ImportCounts> {
  const { path, onError, fromLine } = request;
  const totalBytes = await sizeOfFile(path);
  if (onError === 'stop') {
    observer.onPhase?.('checking', totalBytes);
    await refuseBadLines(request, observer, signal);
  }
  observer.onPhase?.('loading', totalBytes);
  const counts: ImportCounts = { inserted: 0, alreadyThere: 0, different: 0, rejected: 0 };
  const loaded = () => counts.inserted + counts.alreadyThere + counts.different;
  const round = new Map<string, ReadOrder>();
  let firstMissingLine = fromLine;
  const loadRound = async () => {
    const orders = [...round.values()];
    round.clear();
    firstMissingLine = orders[0]?.line ?? firstMissingLine;
    if (signal.aborted) throw new OperatorError('interrupted');
    await load(orders, table, counts, observer);
    firstMissingLine = (orders.at(-1)?.line ?? firstMissingLine - 1) + 1;
  };
  let bytes = 0;
  try {
    for await (const line of readOrders(path, fromLine)) {
      if ('error' in line) {
        // The file has changed since it was checked.
        if (onError === 'stop') throw line.error;
        counts.rejected++;
        observer.onBadLine?.(line.error);
      } else {
        const id = String(line.order.id);
        // If the file contains an id twice, its first line has to be inserted first.
        if (round.size === roundSize || round.has(id)) await loadRound();
        round.set(id, line);
      }
      bytes = line.bytes;
      observer.onProgress?.(bytes, loaded());
    }
    await loadRound();
    observer.onProgress?.(bytes, loaded());
    return counts;
  } catch (error) {
    const place = `stopped at line ${firstMissingLine}, with ${counted(loaded(), 'order')} in the table`;
    throw new OperatorError(`${path}: ${place}: ${failureText(error)}`, {
      cause: error,
      remedy: `run the command again, which changes no order that is there, or with --from-line ${firstMissingLine}`,
    });
  }
}

interface ReadOrder {
  readonly line: number;
  readonly order: OrderItem;
}

/** Loads the orders of a round, all batches at the same time, and counts what became of them. */
async function load(
  orders: readonly ReadOrder[],
  table: RetryingTable,
  counts: ImportCounts,
  observer: Partial<ImportObserver>,
): Promise<void> {
  const batches: ReadOrder[][] = [];
  for (let start = 0; start < orders.length; start += insertBatchSize) {
    batches.push(orders.slice(start, start + insertBatchSize));
  }
  const inserting = batches.map((batch) =>
    insertOrders(
      batch.map(({ order }) => order),
      table,
    ),
  );
  // All of them are waited for, so that none continues after the import has ended.
  for (const [index, outcomes] of (await Promise.allSettled(inserting)).entries()) {
    if (outcomes.status === 'rejected') throw outcomes.reason;
    for (const [position, outcome] of outcomes.value.entries()) {
      counts[outcome]++;
      if (outcome !== 'different') continue;
      const { line, order } = batches[index]![position]!;
      const fault = `id: order ${order.id} is in the table already, with other values, and was left as it is`;
      observer.onDifferent?.(new BadLineError(line, fault));
    }
  }
}

async function sizeOfFile(path: string): Promise<number> {
  const expected = 'a regular file of orders';
  const stats = await stat(path).catch((error: unknown) => {
    throw new InvalidValueError('file', path, `${expected} (${reasonOf(error)})`);
  });
  if (stats.isFile()) return stats.size;
  throw new InvalidValueError('file', path, expected);
}

/** Reads the whole file before anything is loaded. */
async function refuseBadLines(
  { path, fromLine }: ImportRequest,
  observer: Partial<ImportObserver>,
  signal: AbortSignal,
): Promise<void> {
  let orders = 0;
  let badLines = 0;
  for await (const line of readOrders(path, fromLine)) {
    if (signal.aborted) throw new OperatorError('interrupted while checking; nothing was loaded');
    if ('order' in line) orders++;
    else {
      badLines++;
      observer.onBadLine?.(line.error);
    }
    observer.onProgress?.(line.bytes, orders);
  }
  if (badLines === 0) return;
  throw new OperatorError(
    `${path}: ${counted(badLines, 'bad line')} beside ${counted(orders, 'good one')}`,
    { remedy: 'nothing was loaded: correct them, or load the others with --on-error skip' },
  );
}
