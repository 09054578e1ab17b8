import { BadLineError, UnreadableFileError } from '../../shared/errors.ts';
import type { TextPosition } from '../../shared/json-array.ts';
import {
  type InsertOutcome,
  insertBatchSize,
  insertOrders,
  type PatientTable,
} from './insert-orders.ts';
import type { OrderItem } from './order-record.ts';
import type { OrderLine } from './orders-file.ts';

export interface LoadOptions extends PatientTable {
  /** Whether the first bad line ends the load, or is left out of it. */
  readonly onError: 'stop' | 'skip';
  /** How many batches of 25 are under way at once. */
  readonly concurrency?: number;
  /** What to count on from; a resumed load has begun before. */
  readonly counts: LoadCounts;
  /** Told of each bad line that is left out. */
  readonly onBadLine: (error: BadLineError) => void;
  /** Told of each order that the table has with other values than its line. */
  readonly onDifferent: (error: BadLineError) => void;
  /** Told after each batch, in the file's order. */
  readonly onProgress: (progress: LoadProgress) => void;
  /** Ends the load after the batches that are under way. */
  readonly signal?: AbortSignal;
}

export interface LoadCounts {
  /** Orders that were not in the table before. */
  inserted: number;
  /** Orders that were there, with the same values, and were left alone. */
  alreadyThere: number;
  /** Orders that were there with other values than in the file, and were left alone. */
  different: number;
  /** Bad lines that were left out. */
  rejected: number;
}

export interface LoadProgress {
  readonly counts: LoadCounts;
  /** Every line before it is settled; those behind it may be or not. */
  readonly end: TextPosition;
  /** An order before `end` that is in the table, if this batch has one. */
  readonly orderId?: string;
}

interface Batch {
  readonly lines: { line: number; order: OrderItem }[];
  rejected: number;
  end?: TextPosition;
  /** One per line, once the batch is done. */
  outcomes?: InsertOutcome[];
}

const defaultConcurrency = 8;

/**
 * Loads orders into the table, in constant memory. An order that is there already stays as it is,
 * whatever it holds and whether it has been shipped or cancelled since: loading the same lines again
 * changes nothing.
 *
 * Whatever ends it early, all that was begun is done and counted before it throws.
 *
 * @throws BadLineError at the first bad line, unless they are to be skipped
 * @throws UnreadableFileError where the file's structure is lost, behind all orders before that place
 *   unless the first bad line ends the load
 */
export async function loadOrders(
  lines: AsyncIterable<OrderLine>,
  options: LoadOptions,
): Promise<LoadCounts> {
  const load = new Load(options);
  try {
    for await (const line of lines) {
      if (options.signal?.aborted) break;
      await load.add(line);
    }
    await load.finish();
  } catch (error) {
    const isReadable = !(error instanceof UnreadableFileError);
    if (isReadable || options.onError === 'stop') await load.settle();
    else await load.finish();
    throw error;
  }
  return load.counts;
}

/**
 * How many batches that are done may wait for one before them: their lines are kept in memory until
 * it is done too. A hundred times the usual concurrency.
 */
const longestWindow = 800;

/**
 * The batch being filled and, in the file's order, those that are under way or wait for one before
 * them. A slow batch holds back what is reported, which has no gaps, and not what is sent.
 */
class Load {
  readonly counts: LoadCounts;
  readonly #options: LoadOptions;
  readonly #concurrency: number;
  readonly #window: Batch[] = [];
  readonly #underWay = new Set<Promise<void>>();
  readonly #idsUnderWay = new Set<string>();
  #batch = emptyBatch();
  #failure: { readonly error: unknown } | undefined;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.counts = { ...options.counts };
    this.#concurrency = options.concurrency ?? defaultConcurrency;
  }

  async add(line: OrderLine): Promise<void> {
    if ('error' in line) {
      this.#reject(line.error, this.#batch);
    } else {
      // An id that is under way twice: which of the two came first in the file must decide.
      const id = String(line.order.id);
      if (this.#idsUnderWay.has(id)) await this.finish();
      this.#idsUnderWay.add(id);
      this.#batch.lines.push({ line: line.line, order: line.order });
    }
    this.#batch.end = line.end;
    if (this.#batch.lines.length === insertBatchSize) await this.#send();
  }

  /** Sends what is left and awaits everything. */
  async finish(): Promise<void> {
    await this.#send();
    await this.settle();
    this.#refuseFailed();
  }

  /** Awaits what is under way, whatever becomes of it: nothing may run on after the load's end. */
  async settle(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async #send(): Promise<void> {
    const batch = this.#batch;
    this.#batch = emptyBatch();
    this.#window.push(batch);
    const inserting = this.#insert(batch).finally(() => this.#underWay.delete(inserting));
    this.#underWay.add(inserting);
    while (this.#underWay.size >= this.#concurrency || this.#isWindowFull()) {
      await Promise.race(this.#underWay);
    }
    this.#refuseFailed();
  }

  #isWindowFull(): boolean {
    return this.#window.length >= longestWindow && this.#underWay.size > 0;
  }

  /** Does not fail: what failed is thrown where the next batch would be sent. */
  async #insert(batch: Batch): Promise<void> {
    try {
      batch.outcomes = await insertOrders(
        batch.lines.map(({ order }) => order),
        this.#options,
      );
    } catch (error) {
      this.#failure ??= { error };
      return;
    }
    for (const { order } of batch.lines) this.#idsUnderWay.delete(String(order.id));
    while (this.#window[0]?.outcomes) this.#report(this.#window.shift()!);
  }

  #refuseFailed(): void {
    if (this.#failure) throw this.#failure.error;
  }

  #report({ lines, outcomes = [], rejected, end }: Batch): void {
    for (const [index, outcome] of outcomes.entries()) {
      const { line, order } = lines[index]!;
      if (outcome === 'inserted') this.counts.inserted++;
      else if (outcome === 'already there') this.counts.alreadyThere++;
      else this.#reportDifferent(line, order);
    }
    this.counts.rejected += rejected;
    const orderId = lines.at(-1)?.order.id.toString();
    if (end) this.#options.onProgress({ counts: this.counts, end, orderId });
  }

  #reportDifferent(line: number, { id }: OrderItem): void {
    const fault = `id: order ${id} is in the table already, with other values, and was left as it is`;
    this.counts.different++;
    this.#options.onDifferent(new BadLineError(line, fault));
  }

  #reject(error: BadLineError, batch: Batch): void {
    if (this.#options.onError === 'stop') throw error;
    batch.rejected++;
    this.#options.onBadLine(error);
  }
}

function emptyBatch(): Batch {
  return { lines: [], rejected: 0 };
}
