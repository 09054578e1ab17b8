import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { InterruptedError, OperatorError } from '../../shared/errors.ts';
import { counted } from '../console/view.ts';
import { failureText } from '../stage/service-failure.ts';
import {
  type AddOptions,
  addOrders,
  insertBatchSize,
  type Outcome,
  type RetryingTable,
} from './add-orders.ts';
import {
  formatOf,
  type OrderLine,
  type OrdersFormat,
  openOrders,
  readOrders,
} from './orders-file.ts';

export interface ImportRequest extends AddOptions {
  /** The path of a file, or `-` for standard input. */
  readonly path: string;
  /** @default - by the name of the file */
  readonly format?: OrdersFormat;
  /** @default - the process's own */
  readonly stdin?: Readable;
}

/** Observes an import. */
export interface ImportObserver {
  onProgress(text: string): void;
  /** Called with the number and the error of every bad line. */
  onBadLine(text: string): void;
  /** Called with the line and the differences of every existing order that differs. */
  onDifference(text: string): void;
}

export type ImportCounts = Record<Outcome, number>;

const runAgain = 'run the command again';

/** The number of orders in a round, whose eight batches are sent at the same time. */
const roundSize = 8 * insertBatchSize;

/** A running import. */
interface Import {
  readonly file: FileHandle;
  readonly table: RetryingTable;
  readonly request: ImportRequest;
  readonly observer: Partial<ImportObserver>;
  readonly signal: AbortSignal;
}

/**
 * Imports a file of up to 16 million orders, the capacity of a `Map`, which is more than the service can
 * list. Only the ids are kept in memory. All state is in the table, so running an interrupted import again
 * completes it.
 *
 * @param signal interrupts the import after the current round
 * @throws OperatorError if a line is bad, there is none, or the import cannot continue
 */
export async function importOrders(
  request: ImportRequest,
  table: RetryingTable,
  observer: Partial<ImportObserver>,
  signal: AbortSignal,
): Promise<ImportCounts> {
  const { path, stdin = process.stdin } = request;
  await using file = await openOrders(path, stdin, signal);
  const running: Import = { file, table, request, observer, signal };
  await refuseBadLines(running);
  return await loadRounds(running);
}

/** Reads the whole file before anything is loaded. */
async function refuseBadLines(running: Import): Promise<void> {
  const { request, observer } = running;
  let orders = 0;
  let bad = 0;
  const onBadLine = (text: string) => {
    bad++;
    observer.onBadLine?.(text);
  };
  for await (const round of readRounds(running, onBadLine)) {
    orders += round.length;
    observer.onProgress?.(`${counted(orders, 'order')} checked`);
  }
  if (orders > 0 && bad === 0) return;
  const found =
    bad === 0 ? 'no orders' : `${counted(bad, 'bad line')} and ${counted(orders, 'good one')}`;
  throw new OperatorError(`${request.path}: ${found}`, {
    remedy: 'nothing was loaded: correct the file',
  });
}

/** Loads the orders in rounds. */
async function loadRounds(running: Import): Promise<ImportCounts> {
  const { path, dryRun } = running.request;
  const counts: ImportCounts = { inserted: 0, alreadyThere: 0, updated: 0, different: 0 };
  const onBadLine = (text: string) => {
    throw new OperatorError(`the file has changed: ${text}`);
  };
  let orders = 0;
  try {
    for await (const round of readRounds(running, onBadLine)) {
      await load(round, running, counts);
      orders += round.length;
      running.observer.onProgress?.(
        `${counted(orders, 'order')} ${dryRun ? 'compared' : 'loaded'}`,
      );
    }
  } catch (error) {
    const place = dryRun
      ? 'nothing was written'
      : `stopped after ${counted(orders, 'order')} or more`;
    const Failure = error instanceof InterruptedError ? InterruptedError : OperatorError;
    const reason = error instanceof OperatorError ? error.problem : failureText(error);
    throw new Failure(`${path}: ${place}: ${reason}`, { cause: error, remedy: runAgain });
  }
  return counts;
}

/** Reads the orders in rounds. */
async function* readRounds(
  { file, request: { path, format = formatOf(path) }, signal }: Import,
  onBadLine: (text: string) => void,
): AsyncGenerator<OrderLine[]> {
  let round: OrderLine[] = [];
  for await (const line of readOrders(file, path, format)) {
    if (signal.aborted) throw new InterruptedError('interrupted', { remedy: runAgain });
    if ('order' in line) round.push(line);
    else onBadLine(line.message);
    if (round.length === roundSize) {
      yield round;
      round = [];
    }
  }
  if (round.length > 0) yield round;
}

/** Loads the orders of a round and counts the outcomes. */
async function load(
  round: readonly OrderLine[],
  { table, request, observer }: Import,
  counts: ImportCounts,
): Promise<void> {
  const orders = round.map(({ order }) => order);
  const adding: ReturnType<typeof addOrders>[] = [];
  for (let start = 0; start < orders.length; start += insertBatchSize) {
    adding.push(addOrders(orders.slice(start, start + insertBatchSize), table, request));
  }
  // This waits for all batches, so that none continues after the import has ended.
  await Promise.allSettled(adding);
  for (const [index, { outcomes, note }] of (await Promise.all(adding)).flat().entries()) {
    for (const outcome of outcomes) counts[outcome]++;
    if (note) observer.onDifference?.(`line ${round[index]!.line}: ${note}`);
  }
}
