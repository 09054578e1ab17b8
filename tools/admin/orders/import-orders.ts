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

export interface ImportCounts {
  /** The orders that were inserted. */
  inserted: number;
  /** The orders that were already in the table with the same values. */
  alreadyThere: number;
  /** The orders that were already in the table with other values, and were not changed. */
  different: number;
  /** The bad lines that were skipped. */
  rejected: number;
}

/** The number of batches that are sent at the same time. */
const concurrentBatches = 8;

/**
 * Imports an orders file of any size in constant memory. Orders that exist are not changed, so an
 * import that was interrupted can be repeated from its first line, or from any other.
 *
 * @param signal interrupts the import after the batches under way
 * @throws OperatorError when a line is bad and `onError` is `stop`, or the import cannot continue
 */
export async function importOrders(
  request: ImportRequest,
  table: RetryingTable,
  observer: Partial<ImportObserver>,
  signal: AbortSignal,
): Promise<ImportCounts> {
  const bytes = await sizeOfFile(request.path);
  if (request.onError === 'stop') {
    observer.onPhase?.('checking', bytes);
    await refuseBadLines(request, observer, signal);
  }
  observer.onPhase?.('loading', bytes);
  return new OrdersImport(request, table, observer, signal).load();
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
  for await (const line of linesOf(path, fromLine)) {
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

/** @throws OperatorError that names the file, when it cannot be read as an orders file */
async function* linesOf(path: string, fromLine: number) {
  try {
    yield* readOrders(path, fromLine);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    const { problem, remedy } = error;
    throw new OperatorError(`${path}: ${problem}`, { cause: error, remedy });
  }
}

interface ReadOrder {
  readonly line: number;
  readonly order: OrderItem;
}

/**
 * Loads a file in rounds of some batches, which are sent at the same time. When a round is complete,
 * all lines before the next one are in the table.
 */
class OrdersImport {
  readonly #request: ImportRequest;
  readonly #table: RetryingTable;
  readonly #observer: Partial<ImportObserver>;
  readonly #signal: AbortSignal;
  readonly #counts: ImportCounts = { inserted: 0, alreadyThere: 0, different: 0, rejected: 0 };
  readonly #round = new Map<string, ReadOrder>();
  /** The first line that may not be in the table. */
  #line: number;

  constructor(
    request: ImportRequest,
    table: RetryingTable,
    observer: Partial<ImportObserver>,
    signal: AbortSignal,
  ) {
    this.#request = request;
    this.#table = table;
    this.#observer = observer;
    this.#signal = signal;
    this.#line = request.fromLine;
  }

  async load(): Promise<ImportCounts> {
    const { path, fromLine } = this.#request;
    let bytes = 0;
    try {
      for await (const line of linesOf(path, fromLine)) {
        if ('error' in line) this.#reject(line.error);
        else await this.#add(line);
        bytes = line.bytes;
        this.#observer.onProgress?.(bytes, this.#loaded);
      }
      await this.#loadRound();
      this.#observer.onProgress?.(bytes, this.#loaded);
      return this.#counts;
    } catch (error) {
      throw this.#stopped(error);
    }
  }

  async #add({ line, order }: ReadOrder): Promise<void> {
    const id = String(order.id);
    // If the file contains an id twice, its first line has to be inserted first.
    const isFull = this.#round.size === concurrentBatches * insertBatchSize;
    if (isFull || this.#round.has(id)) await this.#loadRound();
    this.#round.set(id, { line, order });
  }

  #reject(error: BadLineError): void {
    // The file has changed since it was checked.
    if (this.#request.onError === 'stop') throw error;
    this.#counts.rejected++;
    this.#observer.onBadLine?.(error);
  }

  async #loadRound(): Promise<void> {
    const round = [...this.#round.values()];
    this.#round.clear();
    this.#line = round[0]?.line ?? this.#line;
    if (this.#signal.aborted) throw new OperatorError('interrupted');
    const batches = Array.from({ length: Math.ceil(round.length / insertBatchSize) }, (_, index) =>
      round.slice(index * insertBatchSize, (index + 1) * insertBatchSize),
    );
    // All of them are waited for, so that none continues after the import has ended.
    const loads = await Promise.allSettled(
      batches.map((batch) =>
        insertOrders(
          batch.map(({ order }) => order),
          this.#table,
        ),
      ),
    );
    for (const [index, load] of loads.entries()) {
      if (load.status === 'rejected') throw load.reason;
      this.#count(batches[index]!, load.value);
    }
    this.#line = (round.at(-1)?.line ?? this.#line - 1) + 1;
  }

  #count(batch: readonly ReadOrder[], outcomes: readonly InsertOutcome[]): void {
    for (const [index, outcome] of outcomes.entries()) {
      const { line, order } = batch[index]!;
      if (outcome === 'inserted') this.#counts.inserted++;
      else if (outcome === 'already there') this.#counts.alreadyThere++;
      else {
        this.#counts.different++;
        this.#observer.onDifferent?.(differentOrder(line, order));
      }
    }
  }

  get #loaded(): number {
    const { inserted, alreadyThere, different } = this.#counts;
    return inserted + alreadyThere + different;
  }

  #stopped(error: unknown): OperatorError {
    const place = `stopped at line ${this.#line}, with ${counted(this.#loaded, 'order')} in the table`;
    return new OperatorError(`${this.#request.path}: ${place}: ${failureText(error)}`, {
      cause: error,
      remedy: `run the command again, which changes no order that is there, or with --from-line ${this.#line}`,
    });
  }
}

function differentOrder(line: number, { id }: OrderItem): BadLineError {
  return new BadLineError(
    line,
    `id: order ${id} is in the table already, with other values, and was left as it is`,
  );
}
