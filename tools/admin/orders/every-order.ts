import type { Item } from '../../../lambdas/contract/item.ts';
import { InterruptedError, OperatorError } from '../../shared/errors.ts';
import type { Call } from '../console/verb.ts';
import { counted } from '../console/view.ts';
import { mayHaveTakenEffect, problemOf } from '../stage/service-failure.ts';

const atOnce = 16;

/**
 * Acts on orders, several at the same time, and returns the results in the sequence of the orders. After a failure, no
 * further order is begun, and the orders that were begun are completed.
 *
 * @param completion what the operator can do to complete a command that has failed
 * @throws OperatorError with the order whose call failed; InterruptedError
 */
export async function everyOrder<T>(
  orders: readonly Item[],
  act: (order: Item) => Promise<T>,
  { io }: Call,
  completion = 'run the command again',
): Promise<T[]> {
  const results: T[] = [];
  let done = 0;
  let failure: { readonly error: unknown; readonly order: Item } | undefined;
  const queue = orders.entries();
  const work = async () => {
    for (const [index, order] of queue) {
      if (failure || io.interruption.aborted) return;
      try {
        results[index] = await act(order);
        done++;
      } catch (error) {
        failure ??= { error, order };
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const stopped = `stopped after ${counted(done, 'order')}`;
  if (failure) throw failureOf(failure.error, failure.order.id!.N!, stopped, completion);
  if (done === orders.length) return results;
  throw new InterruptedError(`${stopped}: interrupted`, { remedy: completion });
}

function failureOf(cause: unknown, id: string, stopped: string, completion: string): OperatorError {
  const look = `"./admin orders show ${id}" shows whether the change was made; `;
  return new OperatorError(`${stopped}: order ${id}: ${problemOf(cause)}`, {
    cause,
    remedy: `${mayHaveTakenEffect(cause) ? look : ''}${completion}`,
  });
}
