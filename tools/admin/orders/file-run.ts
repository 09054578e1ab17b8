import type { Readable } from 'node:stream';
import { InterruptedError, OperatorError } from '../../shared/errors.ts';
import { counted } from '../console/view.ts';
import { failureText } from '../stage/service-failure.ts';
import {
  formatOf,
  type LineForm,
  type OrderLine,
  type OrdersFormat,
  openOrders,
  readOrders,
} from './orders-file.ts';
import { inParallel } from './parallel.ts';

/** A file of orders on which a command acts, and what is told about it. */
export interface OrdersFile {
  /** The path of a file, or `-` for standard input. */
  readonly path: string;
  /** @default - by the name of the file */
  readonly format?: OrdersFormat | undefined;
  /** @default - the process's own */
  readonly stdin?: Readable;
  /** Interrupts the command after the calls that have begun. */
  readonly signal: AbortSignal;
  /** Called with what is done, such as `shipped`, with how many orders, and of how many if that is known. */
  onProgress?(done: string, orders: number, all?: number): void;
  /** Called with the number and the error of every bad line. */
  onBadLine(text: string): void;
  /** Removes the progress from the terminal, before a question. */
  clear?(): void;
}

/** What a command does with the orders of a file. */
export interface FileAction extends LineForm {
  /** The number of orders in one call. */
  readonly batchSize: number;
  /** What is done with orders, such as `shipped`; `compared` if nothing is written. */
  readonly done: string;
  /** Called with the number of orders after the file was checked, and before anything is done. */
  readonly onChecked?: (orders: number) => Promise<unknown>;
  readonly act: (batch: readonly OrderLine[]) => Promise<unknown>;
}

/** The number of calls at the same time. */
const atOnce = 8;

/**
 * Acts on each order of a file of up to 16 million, the capacity of a `Map`, which is more than the service can
 * list. It first reads the whole file. Only the ids are kept in memory. All state is in the table, so a command that
 * was interrupted is completed by running it again.
 *
 * @throws OperatorError if a line is bad, there is none, or the command cannot continue
 */
export async function actOnFile(orders: OrdersFile, action: FileAction): Promise<void> {
  const { path, format = formatOf(path), stdin = process.stdin, signal } = orders;
  const { batchSize, done } = action;
  await using file = await openOrders(path, stdin, signal);
  async function* readBatches(onBadLine: (text: string) => void): AsyncGenerator<OrderLine[]> {
    let batch: OrderLine[] = [];
    for await (const line of readOrders(file, { ...orders, ...action, format, onBadLine })) {
      batch.push(line);
      if (batch.length < batchSize) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }
  let [good, bad, acted] = [0, 0, 0];
  const countBadLine = (text: string) => {
    bad++;
    orders.onBadLine(text);
  };
  for await (const batch of readBatches(countBadLine)) {
    good += batch.length;
    orders.onProgress?.('checked', good);
  }
  if (good === 0 || bad > 0) {
    const found = bad
      ? `${counted(bad, 'bad line')} and ${counted(good, 'good one')}`
      : 'no orders';
    throw new OperatorError(`${path}: ${found}`, {
      remedy: 'nothing was written: correct the file',
    });
  }
  orders.clear?.();
  await action.onChecked?.(good);
  const refuseBadLine = (text: string) => {
    throw new OperatorError(`the file has changed: ${text}`);
  };
  await inParallel(readBatches(refuseBadLine), atOnce, async (batch) => {
    await action.act(batch);
    acted += batch.length;
    orders.onProgress?.(done, acted, good);
  }).catch((error: unknown) => {
    const place =
      done === 'compared'
        ? 'nothing was written'
        : `stopped after ${counted(acted, 'order')} or more`;
    const Failure = error instanceof InterruptedError ? InterruptedError : OperatorError;
    const { problem = failureText(error), remedy = 'run the command again' } = Object(
      error,
    ) as OperatorError;
    throw new Failure(`${path}: ${place}: ${problem}`, { cause: error, remedy });
  });
}
