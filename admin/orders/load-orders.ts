import { BadLineError } from '../../shared/errors.ts';
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
}

const defaultConcurrency = 8;

/**
 * Loads orders into the table, in constant memory. An order that is there already stays as it is,
 * whatever it holds and whether it has been shipped or cancelled since: loading the same lines again
 * changes nothing.
 *
 * @throws BadLineError at the first bad line, unless they are to be skipped
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
    await load.settle();
    throw error;
  }
  return load.counts;
}

/**
 * The batch being filled and, oldest first, those under way. Batches are awaited oldest first, so
 * that what is reported as done has no gaps.
 */
class Load {
  readonly counts: LoadCounts;
  readonly #options: LoadOptions;
  readonly #concurrency: number;
  readonly #underWay: { batch: Batch; outcomes: Promise<InsertOutcome[]> }[] = [];
  readonly #idsUnderWay = new Set<string>();
  #batch: Batch = { lines: [], rejected: 0 };

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
    while (this.#underWay.length > 0) await this.#settleOldest();
  }

  /** Awaits what is under way, whatever becomes of it: nothing may run on after the load's end. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#underWay.map(({ outcomes }) => outcomes));
  }

  async #send(): Promise<void> {
    const batch = this.#batch;
    this.#batch = { lines: [], rejected: 0 };
    const orders = batch.lines.map(({ order }) => order);
    const outcomes = insertOrders(orders, this.#options);
    outcomes.catch(() => {}); // It is awaited later; until then nobody else looks.
    this.#underWay.push({ batch, outcomes });
    if (this.#underWay.length >= this.#concurrency) await this.#settleOldest();
  }

  async #settleOldest(): Promise<void> {
    const { batch, outcomes } = this.#underWay[0]!;
    for (const [index, outcome] of (await outcomes).entries()) {
      const { line, order } = batch.lines[index]!;
      this.#idsUnderWay.delete(String(order.id));
      if (outcome === 'inserted') this.counts.inserted++;
      else if (outcome === 'already there') this.counts.alreadyThere++;
      else this.#reportDifferent(line, order);
    }
    this.#underWay.shift();
    this.counts.rejected += batch.rejected;
    const orderId = batch.lines.at(-1)?.order.id.toString();
    if (batch.end) this.#options.onProgress({ counts: this.counts, end: batch.end, orderId });
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
