import type { Item } from '../../../lambdas/domain/item.ts';
import { OperatorError } from '../../shared/errors.ts';
import { failureText, mayHaveTakenEffect } from '../stage/service-failure.ts';
import type { OrdersTable } from '../stage/stage-connection.ts';

/** A table, and how to wait between attempts. */
export interface RetryingTable extends OrdersTable {
  readonly wait: (ms: number) => Promise<void>;
}

const firstPauseMs = 50;
const longestPauseMs = 10_000;
const maxAttemptsWithoutProgress = 12;

/**
 * Calls DynamoDB for orders, and again for the remaining ones, with growing pauses. A call that failed is repeated only
 * if it was throttled: after a lost response to a write, somebody else may have changed the order.
 */
export async function repeat<Order>(
  orders: readonly Order[],
  { wait }: RetryingTable,
  call: (open: readonly Order[]) => Promise<{ left: Order[]; reason?: Error | undefined }>,
): Promise<void> {
  let open = orders;
  for (let attempts = 0; open.length > 0; ) {
    const { left, reason } = await call(open).catch((error) => {
      if (!isThrottled(error)) throw error;
      return { left: open, reason: error };
    });
    attempts = left.length < open.length ? 0 : attempts + 1;
    if (attempts === maxAttemptsWithoutProgress) {
      const problem = `DynamoDB kept refusing or did not respond (${failureText(reason)})`;
      throw new OperatorError(problem, { cause: reason });
    }
    if (left.length > 0) {
      // Batches that were throttled together are not repeated together.
      await wait(Math.random() * Math.min(longestPauseMs, firstPauseMs * 2 ** attempts));
    }
    open = left;
  }
}

/** Writes an order, again while it is throttled. @throws OperatorError with its id if the response is lost */
export async function writeOnce<T>(
  { id }: Item,
  table: RetryingTable,
  write: () => Promise<T>,
): Promise<T> {
  let result: T | undefined;
  await repeat([write], table, async () => {
    result = await write();
    return { left: [] };
  }).catch((error) => {
    if (!mayHaveTakenEffect(error)) throw error;
    const problem = `${failureText(error)}; "./admin orders show ${id!.N}" shows whether it was`;
    throw new OperatorError(problem, { cause: error });
  });
  return result!;
}

/** Whether DynamoDB has refused a call that may succeed later. */
export function isThrottled(error: unknown): boolean {
  // https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchStatementError.html
  const names = /Throttl|ThroughputExceeded|RequestLimitExceeded|TransactionConflict/;
  return names.test(Object(error).name ?? '');
}
