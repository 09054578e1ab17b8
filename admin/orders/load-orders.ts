import { BadLineError, UnreadableFileError } from '../../shared/errors.ts';
import type { TextPosition } from '../../shared/json-array.ts';
import {
  type InsertOutcome,
  insertBatchSize,
  insertOrders,
  type RetryingTable,
} from './insert-orders.ts';
import type { OrderItem } from './order-record.ts';
import type { OrderLine } from './orders-file.ts';

export interface LoadOptions extends RetryingTable {
  /** Whether the first bad line ends the load, or bad lines are skipped. */
  readonly onError: 'stop' | 'skip';
  /** The number of concurrent batches of 25 orders. @default 8 */
  readonly concurrency?: number;
  /** The initial counts, which for a resumed load are those of its checkpoint. */
  readonly counts: LoadCounts;
  /** Called for each bad line that is skipped. */
  readonly onBadLine: (error: BadLineError) => void;
  /** Called for each order that is already in the table with other values. */
  readonly onDifferent: (error: BadLineError) => void;
  /** Called for each finished batch, in the order of the file. */
  readonly onProgress: (progress: LoadProgress) => void;
  /** Ends the load when the batches under way have finished. */
  readonly signal?: AbortSignal;
}

export interface LoadCounts {
  /** The orders that were inserted. */
  inserted: number;
  /** The orders that were already in the table with the same values. */
  alreadyThere: number;
  /** The orders that were already in the table with other values, and were not changed. */
  different: number;
  /** The bad lines that were skipped. */
  rejected: number;
}

export interface LoadProgress {
  readonly counts: LoadCounts;
  /** All lines before this position have been loaded; later lines may have been loaded. */
  readonly end: TextPosition;
  /** An order of the batch, which is in the table, if the batch has one. */
  readonly orderId?: string;
}

interface Batch {
  readonly lines: { line: number; order: OrderItem }[];
  rejected: number;
  end?: TextPosition;
  /** One outcome per line, set when the batch has finished. */
  outcomes?: InsertOutcome[];
}

const defaultConcurrency = 8;

/**
 * Loads orders into the table in constant memory. Orders that exist are not changed, so loading the
 * same lines again has no effect.
 *
 * If it ends early, it first waits for the batches under way and counts them.
 *
 * @throws BadLineError at the first bad line, if `onError` is `stop`
 * @throws UnreadableFileError when the rest of the file cannot be parsed; with `skip`, all orders
 *   before that position are loaded first
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
 * The maximum number of batches in memory. Finished batches are kept until all earlier ones have
 * finished. This is a hundred times the default concurrency.
 */
const longestWindow = 800;

/**
 * The current batch and the window of earlier batches, in the order of the file. A batch is reported
 * and leaves the window when it and all earlier ones have finished. A slow batch therefore delays the
 * reports, which have no gaps, but not the sending of later batches.
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
      // If the file contains an id twice, its first line has to be inserted first.
      const id = String(line.order.id);
      if (this.#idsUnderWay.has(id)) await this.finish();
      this.#idsUnderWay.add(id);
      this.#batch.lines.push({ line: line.line, order: line.order });
    }
    this.#batch.end = line.end;
    if (this.#batch.lines.length === insertBatchSize) await this.#send();
  }

  /** Sends the current batch and waits for all batches. */
  async finish(): Promise<void> {
    await this.#send();
    await this.settle();
    this.#refuseFailed();
  }

  /** Waits for all batches under way, so that none of them continues after the load has ended. */
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

  /** Inserts a batch. Never rejects: an error is stored, and thrown when the next batch is sent. */
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
