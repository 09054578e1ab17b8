import { InterruptedError, OperatorError } from '../../shared/errors.ts';
import { counted } from '../console/view.ts';
import { failureText } from '../stage/service-failure.ts';
import {
  type LineForm,
  type OrderLine,
  type OrdersFile,
  openOrders,
  readOrders,
} from './orders-file.ts';
import { inParallel } from './parallel.ts';

/** What a command does with the orders of a file. */
export interface FileAction extends LineForm {
  readonly batchSize: number;
  /** Such as `shipped`; `compared` if nothing is written. */
  readonly done: string;
  /** Called with the number of orders after the file was checked, and before anything is done. */
  readonly onChecked?: (orders: number) => Promise<unknown>;
  readonly act: (batch: readonly OrderLine[]) => Promise<unknown>;
}

/**
 * Acts on each order of a file of up to 16 million, the capacity of a `Map`. It first reads the whole file. Only the
 * ids are kept in memory. All state is in the table, so running a command again completes it.
 */
export async function actOnFile(orders: OrdersFile, action: FileAction): Promise<void> {
  const { path } = orders;
  const { batchSize, done } = action;
  await using file = await openOrders(orders);
  async function* readBatches(onBadLine: (text: string) => void): AsyncGenerator<OrderLine[]> {
    let batch: OrderLine[] = [];
    for await (const line of readOrders(file, { ...orders, ...action, onBadLine })) {
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
  const remedy = 'nothing was written: correct the file';
  if (bad > 0) {
    const found = `${counted(bad, 'bad line')} and ${counted(good, 'good one')}`;
    throw new OperatorError(`${path}: ${found}`, { remedy });
  }
  if (good === 0) throw new OperatorError(`${path}: no orders`, { remedy });
  orders.clear?.();
  await action.onChecked?.(good);
  const refuseBadLine = (text: string) => {
    throw new OperatorError(`the file has changed: ${text}`);
  };
  await inParallel(readBatches(refuseBadLine), async (batch) => {
    await action.act(batch);
    acted += batch.length;
    orders.onProgress?.(done, acted, good);
  }).catch((error: unknown) => {
    const stopped = `stopped after ${counted(acted, 'order')} or more`;
    const place = done === 'compared' ? 'nothing was written' : stopped;
    const Failure = error instanceof InterruptedError ? InterruptedError : OperatorError;
    const known: Partial<OperatorError> = Object(error);
    const { problem = failureText(error), remedy = 'run the command again' } = known;
    throw new Failure(`${path}: ${place}: ${problem}`, { cause: error, remedy });
  });
}
