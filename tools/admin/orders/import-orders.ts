import { type AddOptions, addOrders, insertBatchSize, type Outcome } from './add-orders.ts';
import { actOnFile, type FileObserver, type FileRequest } from './file-run.ts';
import type { OrderLine } from './orders-file.ts';
import type { RetryingTable } from './repeated-calls.ts';

export interface ImportRequest extends FileRequest, AddOptions {}

export type ImportCounts = Record<Outcome, number>;

/** Imports the orders of a file, as `actOnFile` says. */
export async function importOrders(
  request: ImportRequest,
  table: RetryingTable,
  observer: Partial<FileObserver>,
  signal: AbortSignal,
): Promise<ImportCounts> {
  const counts: ImportCounts = { inserted: 0, alreadyThere: 0, updated: 0, different: 0 };
  const act = async (batch: readonly OrderLine[]) => {
    const orders = batch.map(({ order }) => order);
    for (const [index, added] of (await addOrders(orders, table, request)).entries()) {
      for (const outcome of added.outcomes) counts[outcome]++;
      if (added.note) observer.onDifference?.(`line ${batch[index]!.line}: ${added.note}`);
    }
  };
  const action = { batchSize: insertBatchSize, done: request.dryRun ? 'compared' : 'loaded', act };
  await actOnFile(request, action, observer, signal);
  return counts;
}
