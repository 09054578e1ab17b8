import { cancellationFields } from '../../../lambdas/domain/order-fields.ts';
import type { ChangeableStatus, OrderStatus } from '../../../lambdas/domain/order-states.ts';
import { ChangedMeanwhileError, WrongStateError } from '../../shared/errors.ts';
import { change, unchanged } from '../stage/dynamodb-calls.ts';
import type { OrdersTable } from '../stage/orders-table.ts';
import { findOrder, type StoredOrder } from './find-order.ts';
import type { FileField } from './order-record.ts';

/**
 * The commands that change the state of an order. None starts from a final state. The order stores who did
 * it and when, in fields such as `reopenedBy` and `reopenedAt`.
 */
export const transitions = {
  ship: { from: 'pending', to: 'shipped', done: 'shipped' },
  cancel: { from: 'pending', to: 'cancelled', done: 'cancelled' },
  reopen: { from: 'cancelled', to: 'pending', done: 'reopened' },
} as const satisfies Record<string, { from: ChangeableStatus; to: OrderStatus; done: string }>;

/** A change by an operator. */
export interface OrderChange {
  readonly verb: keyof typeof transitions;
  /** The operator's name. */
  readonly by: string;
  readonly nowMs: number;
}

/**
 * Changes the state of an order in one conditional write, so only one of this change and a client's
 * simultaneous cancellation takes effect.
 *
 * @param before the order as it was read
 * @returns the order before and after the change
 * @throws OperatorError if the order is in a state that does not allow the change, or has changed
 */
export async function changeOrder(
  before: StoredOrder,
  { verb, by, nowMs }: OrderChange,
  table: OrdersTable,
) {
  const { from, to, done } = transitions[verb];
  refuseUnless(from, done, before);
  const lastCancellation = Object.keys(cancellationFields).map((name) => [
    name,
    unchanged(before[name]),
  ]);
  const write = {
    table: table.tableName,
    key: { id: before.id },
    set: {
      status: to,
      [`${done}At` as const satisfies FileField]: new Date(nowMs).toISOString(),
      [`${done}By` as const satisfies FileField]: by,
    },
    where: { status: from, ...Object.fromEntries(lastCancellation) },
  };
  const order = await change<StoredOrder>(write, table);
  if (order) return { before, order };
  refuseUnless(from, done, await findOrder(String(before.id), table));
  throw new ChangedMeanwhileError(`Order ${before.id}`);
}

/** @throws WrongStateError unless the order is in the state `from` */
function refuseUnless(from: ChangeableStatus, done: string, order: StoredOrder): void {
  const { id, status = 'without a status', shippedAt, cancelledAt } = order;
  if (status === from) return;
  const since = { shipped: shippedAt, cancelled: cancelledAt }[String(status)];
  const state = `Order ${id} is ${status}${since ? ` since ${since}` : ''}`;
  throw new WrongStateError(`${state}: only a ${from} order can be ${done}`);
}
