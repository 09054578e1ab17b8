import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { InterruptedError, InvalidValueError, OperatorError } from '../../shared/errors.ts';
import { counted } from '../console/view.ts';
import { failureText } from '../stage/service-failure.ts';
import {
  type BadLine,
  formatOf,
  type OrderLine,
  type OrdersFormat,
  openOrders,
  readOrders,
} from './orders-file.ts';
import {
  insertBatchSize,
  type RetryingTable,
  type StoreOptions,
  type StoreOutcome,
  storeOrders,
} from './store-orders.ts';

export interface ImportRequest extends StoreOptions {
  /** The path of a file, or `-` for standard input. */
  readonly path: string;
  /** @default - by the name of the file */
  readonly format?: OrdersFormat;
  /** @default - the process's own */
  readonly stdin?: Readable;
  /** With a bad line in the file, `stop` loads no order, and `skip` loads all others. */
  readonly onError: 'stop' | 'skip';
}

type TextAbout = 'bad line' | 'difference';

/** Observes an import. */
export interface ImportObserver {
  onProgress(text: string): void;
  onBadLine(line: BadLine): void;
  /**
   * Called with texts about bad lines and about existing orders that differ. Without a dry run, the number
   * of texts of each kind is limited.
   */
  onText(text: string, about: TextAbout): void;
}

export interface ImportCounts extends Record<StoreOutcome, number> {
  /** The bad lines that were skipped. */
  rejected: number;
}

const runAgain = 'run the command again';

/** The maximum number of texts of each kind. */
const maxTexts = 20;

/** The number of orders in a round, whose eight batches are sent at the same time. */
const roundSize = 8 * insertBatchSize;

/** A running import. */
interface Import {
  readonly file: FileHandle;
  readonly request: ImportRequest;
  readonly observer: Partial<ImportObserver>;
  readonly signal: AbortSignal;
  readonly counts: ImportCounts;
}

/**
 * Imports a file of up to 16 million orders, the capacity of a `Map`, which is more than the service can
 * list. Only the ids are kept in memory. All state is in the table, so running an interrupted import again
 * completes it.
 *
 * @param signal interrupts the import after the current round
 * @throws OperatorError if a line is bad and `onError` is `stop`, or the import cannot continue
 */
export async function importOrders(
  request: ImportRequest,
  table: RetryingTable,
  observer: Partial<ImportObserver>,
  signal: AbortSignal,
): Promise<ImportCounts> {
  const { path, onError, stdin = process.stdin } = request;
  await using file = await openOrders(path, stdin, signal);
  const counts = { inserted: 0, alreadyThere: 0, replaced: 0, different: 0, rejected: 0 };
  const running: Import = { file, request, observer, signal, counts };
  if (onError === 'stop') await refuseBadLines(running);
  await loadRounds(running, table);
  return counts;
}

/** Reads the whole file before anything is loaded. */
async function refuseBadLines(running: Import): Promise<void> {
  let orders = 0;
  for await (const round of readRounds(running)) {
    orders += round.length;
    running.observer.onProgress?.(`${counted(orders, 'order')} checked`);
  }
  const { rejected } = running.counts;
  if (rejected === 0) return;
  throw new OperatorError(
    `${running.request.path}: ${counted(rejected, 'bad line')} beside ${counted(orders, 'good one')}`,
    {
      remedy:
        'nothing was loaded: correct the bad lines, which --rejects writes to a file, or skip them with ' +
        '--on-error skip',
    },
  );
}

/** Loads the orders in rounds. */
async function loadRounds(running: Import, table: RetryingTable): Promise<void> {
  const { path, dryRun } = running.request;
  let orders = 0;
  try {
    for await (const round of readRounds(running)) {
      await load(round, running, table);
      orders += round.length;
      running.observer.onProgress?.(
        `${counted(orders, 'order')} ${dryRun ? 'compared' : 'loaded'}`,
      );
    }
  } catch (error) {
    if (error instanceof InvalidValueError) throw error;
    const place = dryRun
      ? 'nothing was written'
      : `stopped with ${counted(orders, 'order')} in the table`;
    const Failure = error instanceof InterruptedError ? InterruptedError : OperatorError;
    const reason = error instanceof OperatorError ? error.problem : failureText(error);
    throw new Failure(`${path}: ${place}: ${reason}`, { cause: error, remedy: runAgain });
  }
}

/** Reads the orders in rounds, and counts and reports the bad lines. */
async function* readRounds(running: Import): AsyncGenerator<OrderLine[]> {
  const { file, request, observer, signal, counts } = running;
  const { path, format = formatOf(path), replace } = request;
  let round: OrderLine[] = [];
  for await (const line of readOrders(file, format, replace)) {
    if (signal.aborted) throw new InterruptedError('interrupted', { remedy: runAgain });
    if ('order' in line) {
      round.push(line);
    } else {
      counts.rejected++;
      observer.onBadLine?.(line);
      tellOneOf(counts.rejected, 'bad line', line.message, observer);
    }
    if (round.length === roundSize) {
      yield round;
      round = [];
    }
  }
  if (round.length > 0) yield round;
}

/** @param number the number of the text among those of its kind, from 1 */
function tellOneOf(
  number: number,
  about: TextAbout,
  text: string,
  { onText }: Partial<ImportObserver>,
): void {
  if (number <= maxTexts) onText?.(text, about);
  if (number === maxTexts + 1) onText?.(`further ${about}s are only counted`, about);
}

/** Loads the orders of a round and counts the outcomes. */
async function load(
  orders: readonly OrderLine[],
  running: Import,
  table: RetryingTable,
): Promise<void> {
  const { request, observer, counts } = running;
  const batches: OrderLine[][] = [];
  for (let start = 0; start < orders.length; start += insertBatchSize) {
    batches.push(orders.slice(start, start + insertBatchSize));
  }
  const storing = batches.map((batch) =>
    storeOrders(
      batch.map(({ order }) => order),
      table,
      request,
    ),
  );
  // This waits for all batches, so that none continues after the import has ended.
  for (const [index, stored] of (await Promise.allSettled(storing)).entries()) {
    if (stored.status === 'rejected') throw stored.reason;
    for (const [position, { outcome, note }] of stored.value.entries()) {
      counts[outcome]++;
      if (note === undefined || (outcome === 'replaced' && !request.dryRun)) continue;
      const text = `line ${batches[index]![position]!.line}: ${note}`;
      if (request.dryRun) observer.onText?.(text, 'difference');
      else tellOneOf(counts.different, 'difference', text, observer);
    }
  }
}
