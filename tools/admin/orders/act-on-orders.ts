import { InterruptedError, OperatorError } from '../../shared/errors.ts';
import { counted } from '../console/view.ts';
import { failureText, mayHaveTakenEffect } from '../stage/service-failure.ts';
import type { OrderLine } from './orders-file.ts';

/** The outcome of a command for one order. */
export interface Outcome {
  /** The outcome's name in JSON, such as `shipped`. */
  readonly name: string;
  /** Why the order is not as it should be, such as `is cancelled`. The report lists each order with a note. */
  readonly note?: string | undefined;
}

export interface ListedOrder extends Outcome {
  readonly line: number | undefined;
  readonly id: string;
}

/** The number of orders by the name of their outcome, and the orders with a note in the sequence of their lines. */
export interface Outcomes {
  readonly counts: Readonly<Record<string, number>>;
  readonly listed: readonly ListedOrder[];
}

/** An action on each of many orders. */
export interface Action {
  readonly act: (each: OrderLine) => Promise<Outcome>;
  readonly signal: AbortSignal;
  /** How to complete a command that has failed. @default - run it again */
  readonly completion?: string | undefined;
  /** Called with the number of orders that are done. */
  onDone?(orders: number): void;
}

const atOnce = 16;

/**
 * Acts on several orders at the same time. All state is in the table, so a second run completes a command. After a
 * failure, no further order is begun, and the orders that were begun are completed.
 *
 * @throws OperatorError with the order whose call failed; InterruptedError
 */
export async function actOnOrders(
  orders: Iterable<OrderLine>,
  { act, signal, completion = 'run the command again', onDone }: Action,
): Promise<Outcomes> {
  const counts: Record<string, number> = {};
  const listed: ListedOrder[] = [];
  let done = 0;
  let failure: OperatorError | undefined;
  const left = orders[Symbol.iterator]();
  const work = async () => {
    for (let next = left.next(); !next.done; next = left.next()) {
      if (signal.aborted) failure ??= new InterruptedError('interrupted', { remedy: completion });
      if (failure) return;
      const { line, order } = next.value;
      try {
        const { name, note } = await act(next.value);
        counts[name] = (counts[name] ?? 0) + 1;
        if (note) listed.push({ line, id: order.id!.N!, name, note });
        onDone?.(++done);
      } catch (error) {
        failure ??= failureWith(error, next.value, completion);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  if (failure) {
    const { problem, remedy = completion } = failure;
    const Failure = failure instanceof InterruptedError ? InterruptedError : OperatorError;
    const text = `stopped after ${counted(done, 'order')}: ${problem}`;
    throw new Failure(text, { cause: failure, remedy });
  }
  return { counts, listed: listed.sort((one, other) => (one.line ?? 0) - (other.line ?? 0)) };
}

function failureWith(
  error: unknown,
  { line, order }: OrderLine,
  completion: string,
): OperatorError {
  if (error instanceof OperatorError) return error;
  const id = order.id!.N;
  const problem = `${line ? `line ${line}, ` : ''}order ${id}: ${failureText(error)}`;
  const look = `"./admin orders show ${id}" shows whether it was done; ${completion}`;
  const remedy = mayHaveTakenEffect(error) ? look : completion;
  return new OperatorError(problem, { cause: error, remedy });
}
