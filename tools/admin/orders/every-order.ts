import type { Item } from '../../../lambdas/contract/item.ts';
import { OperatorError } from '../../shared/errors.ts';
import { problemOf } from '../stage/service-failure.ts';

const atOnce = 16;

/**
 * Acts on orders, several at the same time, and returns the results in the sequence of the orders. After a failure, no
 * further order is begun.
 *
 * @param completion what the operator can do to complete a command that has failed
 * @throws OperatorError with the order whose call failed, or was interrupted
 */
export async function everyOrder<T>(
  orders: readonly Item[],
  act: (order: Item) => Promise<T>,
  completion = 'run the command again',
): Promise<T[]> {
  const results: T[] = [];
  let hasFailed = false;
  const queue = orders.entries();
  const work = async () => {
    for (const [index, order] of queue) {
      if (hasFailed) return;
      try {
        results[index] = await act(order);
      } catch (cause) {
        hasFailed = true;
        const problem = `order ${order.id!.N}: ${problemOf(cause)}`;
        throw new OperatorError(problem, { cause, remedy: completion });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}
