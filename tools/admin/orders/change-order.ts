import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../lambdas/contract/item.ts';
import { cancellationFields } from '../../../lambdas/orders/order-fields.ts';
import {
  type ChangeableStatus,
  type OrderStatus,
  orderStatuses,
} from '../../../lambdas/orders/order-states.ts';
import {
  AlreadyDoneError,
  ChangedMeanwhileError,
  quoted,
  WrongStateError,
} from '../../shared/errors.ts';
import { unchanged } from '../stage/dynamodb-calls.ts';
import type { OrdersTable } from '../stage/stage-connection.ts';
import type { FileField } from './order-record.ts';
import { updateOrder } from './stored-orders.ts';

/** The commands that change an order's state. The order stores who did this and when, such as `reopenedBy`. */
export const transitions = {
  ship: { from: 'pending', to: 'shipped', done: 'shipped', isRepair: true },
  cancel: { from: 'pending', to: 'cancelled', done: 'cancelled', isRepair: false },
  reopen: { from: 'cancelled', to: 'pending', done: 'reopened', isRepair: true },
} as const satisfies Record<string, Transition>;

interface Transition {
  readonly from: ChangeableStatus;
  readonly to: OrderStatus;
  /** The participle of the command. */
  readonly done: string;
  /** Whether the command also changes a single order that is in an unknown state. */
  readonly isRepair: boolean;
}

/** A change by an operator. */
export interface OrderChange {
  readonly verb: keyof typeof transitions;
  readonly by: string;
  readonly nowMs: number;
  /** The time of shipping, if the order was shipped earlier. @default - now */
  readonly shipDate?: AttributeValue | undefined;
}

/** The attributes that a change sets. Shipping also sets `complete` and `shipDate`, because clients see only these. */
export function changedFields({ verb, by, nowMs, shipDate }: OrderChange): Item {
  const { to, done } = transitions[verb];
  const iso = new Date(nowMs).toISOString();
  // Whole seconds, like planned dates, because pandas.to_datetime fails for a list with both forms.
  const now = { S: verb === 'ship' ? iso.replace(/\.\d+/, '') : iso };
  return {
    status: { S: to },
    [`${done}At` as const satisfies FileField]: now,
    [`${done}By` as const satisfies FileField]: { S: by },
    ...(verb === 'ship' && { complete: { BOOL: true }, shipDate: shipDate ?? now }),
  };
}

/** Changes an order, and returns the changed order. @throws OperatorError if the order has changed since it was read */
export async function changeOrder(
  before: Item,
  change: OrderChange,
  table: OrdersTable,
): Promise<Item> {
  const result = await changeAsRead(before, change, table);
  if ('order' in result) return result.order;
  if (result.found) refuseUnlessAllowed(change, result.found);
  throw new ChangedMeanwhileError(`Order ${before.id!.N}`);
}

/** Changes an order on the condition that its state and its last cancellation are as they were read. */
export function changeAsRead(before: Item, change: OrderChange, table: OrdersTable) {
  const names = ['id', 'status', ...Object.keys(cancellationFields)];
  const where = Object.fromEntries(names.map((name) => [name, unchanged(before[name])]));
  return updateOrder(before, { set: changedFields(change), where }, table);
}

/** Whether an order is in none of the states, so that clients cannot cancel it. */
export function isStateless({ status }: Item): boolean {
  return !orderStatuses.includes(status?.S as OrderStatus);
}

/** @throws OperatorError if the state of an order does not allow a change */
export function refuseUnlessAllowed({ verb }: OrderChange, order: Item): void {
  const { from, to, done, isRepair } = transitions[verb];
  const { id, status } = order;
  if (status?.S === from || (isRepair && isStateless(order))) return;
  const Refusal = status?.S === to ? AlreadyDoneError : WrongStateError;
  const remedy = isStateless(order) ? { remedy: repairOf(order) } : {};
  const problem = `Order ${id!.N} ${stateOf(order)}: only a ${from} order can be ${done}`;
  throw new Refusal(problem, remedy);
}

/** Describes the state of an order. An unknown state is quoted, because it can be `pending ` or empty. */
export function stateOf(order: Item): string {
  const { status, shippedAt, cancelledAt } = order;
  if (!status) return 'is without a status';
  if (status.S === undefined) return 'is in a state that is not a text';
  const since = { shipped: shippedAt, cancelled: cancelledAt }[status.S]?.S;
  return `is ${isStateless(order) ? quoted(status.S) : status.S}${since ? ` since ${since}` : ''}`;
}

/**
 * Describes what to do about an order in an unknown state. If the order was shipped, it must not become pending,
 * because clients can cancel a pending order.
 */
export function repairOf({ id }: Item): string {
  const [ship, reopen] = ['ship', 'reopen'].map((verb) => `"./admin orders ${verb} ${id!.N}"`);
  return `if it has left the warehouse, ${ship} marks it as shipped; if not, ${reopen} makes it pending`;
}
