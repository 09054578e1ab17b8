import { existsSync } from 'node:fs';
import { differences, differingNames, getOrders } from './add-orders.ts';
import { comparableNumber, isSame } from './attribute-json.ts';
import { actOnFile, type FileObserver, type FileRequest } from './file-run.ts';
import { orderJson } from './order-json.ts';
import type { OrderItem } from './order-record.ts';
import type { OrderLine } from './orders-file.ts';
import { type RetryingTable, writeOnce } from './repeated-calls.ts';
import { deleteOrder } from './stored-orders.ts';
import { refuseUnlessFile, writeWhole } from './whole-file.ts';

export interface Deletion extends FileRequest {
  /** The path of the file that keeps the orders. @default - a dry run, which writes nothing */
  readonly keep?: string | undefined;
  /** Asks for confirmation. */
  readonly confirm: (orders: number) => Promise<void>;
}

export interface DeletionObserver extends FileObserver {
  /** Called with an order that differs from its line, or has changed since it was read. */
  onDifference(text: string): void;
}

/** The number of orders that one call reads. */
const readBatchSize = 100;

/**
 * Deletes the orders of a file that still are as its lines say. First it writes them whole to a file, which appears
 * when it is complete. Then it deletes each order that still is as that file says. So every deleted order is in the
 * file. If the file exists, an earlier run has written it: this completes the deletion.
 *
 * @returns the ids of the orders by their outcomes; in a dry run, what they would be
 */
export async function deleteOrders(
  { keep, confirm: onChecked, ...request }: Deletion,
  table: RetryingTable,
  observer: Partial<DeletionObserver>,
  signal: AbortSignal,
) {
  const ids = {
    deleted: [] as string[],
    /** They are not as their lines say, or have changed since they were read. */
    different: [] as string[],
    notFound: [] as string[],
    /** They are not in the file of an earlier run. */
    notKept: [] as string[],
  };
  const chosen = new Map<string, string>();
  const tellDifference = (id: string, text: string) => {
    ids.different.push(id);
    observer.onDifference?.(text);
  };
  const choose = (act: (batch: readonly OrderLine[]) => Promise<unknown>) => {
    const action = {
      lines: { canBeId: true },
      batchSize: readBatchSize,
      done: 'compared',
      onChecked,
      act,
    };
    return actOnFile(request, action, observer, signal);
  };
  /** Chooses the orders that are as their lines say, and returns their lines in the file to keep. */
  const compare = async (batch: readonly OrderLine[]) => {
    const found = await getOrders(
      batch.map(({ order }) => order),
      table,
    );
    return batch.flatMap(({ line, order }) => {
      const id = order.id.N!;
      const existing = found.get(keyOf(order));
      if (!existing) ids.notFound.push(id);
      else if (differingNames(order, existing).length > 0) {
        tellDifference(id, `line ${line}: ${differences(order, existing)}`);
      } else {
        chosen.set(keyOf(order), id);
        return `${orderJson(existing)}\n`;
      }
      return [];
    });
  };
  if (keep === undefined) {
    await choose(compare);
    return { ...ids, deleted: [...chosen.values()] };
  }
  await refuseUnlessFile('--keep', keep);
  if (existsSync(keep)) {
    await choose(async (batch) => {
      for (const { order } of batch) chosen.set(keyOf(order), order.id.N!);
    });
  } else {
    await writeWhole(keep, (append) =>
      choose(async (batch) => append((await compare(batch)).join(''))),
    );
  }
  if (chosen.size === 0) return ids;
  const act = async ([line]: readonly OrderLine[]) => {
    const { order } = line!;
    const id = chosen.get(keyOf(order));
    if (id === undefined) return;
    const result = await writeOnce(table, () => deleteOrder(order, table));
    chosen.delete(keyOf(order));
    if ('order' in result) {
      ids.deleted.push(id);
      // No condition can say that there is no other attribute.
      if (isSame(result.order, order)) return;
      tellDifference(
        id,
        `order ${id} had other attributes when it was deleted: ${orderJson(result.order)}`,
      );
    } else if (result.found) {
      tellDifference(id, `order ${id} has changed since it was read, and is not deleted`);
    } else ids.notFound.push(id);
  };
  const action = { batchSize: 1, done: 'deleted', act };
  await actOnFile({ path: keep, format: 'jsonl' }, action, observer, signal);
  return { ...ids, notKept: [...chosen.values()] };
}

const keyOf = ({ id }: OrderItem) => comparableNumber(id.N!)!;
