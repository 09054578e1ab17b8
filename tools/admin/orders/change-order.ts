import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../lambdas/domain/item.ts';
import { cancellationFields } from '../../../lambdas/domain/order-fields.ts';
import {
  type ChangeableStatus,
  type OrderStatus,
  orderStatuses,
} from '../../../lambdas/domain/order-states.ts';
import {
  AlreadyDoneError,
  ChangedMeanwhileError,
  quoted,
  WrongStateError,
} from '../../shared/errors.ts';
import type { Result } from '../console/command-io.ts';
import type { Call } from '../console/verb.ts';
import { unchanged } from '../stage/dynamodb-calls.ts';
import type { OrdersTable } from '../stage/stage-connection.ts';
import { isOrderId, orderJson } from './order-json.ts';
import type { FileField } from './order-record.ts';
import { findOrder, updateOrder } from './stored-orders.ts';

/** The commands that change the state of an order, which stores who did it and when, such as `reopenedBy`. */
export const transitions = {
  ship: { from: 'pending', to: 'shipped', done: 'shipped' },
  cancel: { from: 'pending', to: 'cancelled', done: 'cancelled' },
  reopen: { from: 'cancelled', to: 'pending', done: 'reopened' },
} as const satisfies Record<string, { from: ChangeableStatus; to: OrderStatus; done: string }>;

/** A change by an operator. */
export interface OrderChange {
  readonly verb: keyof typeof transitions;
  readonly by: string;
  readonly nowMs: number;
  /** The time of shipping, if somebody else has shipped the order before. @default - now */
  readonly shipDate?: AttributeValue | undefined;
}

/** The command that shows an order; empty for a file. */
export const showCommand = (word: string) => (isOrderId(word) ? `orders show ${word}` : '');

/** Changes the state of one order, and prints it as it was. */
export async function changeOne(
  orderId: string,
  verb: OrderChange['verb'],
  { stage, confirm }: Call,
): Promise<Result> {
  const before = await findOrder(orderId, stage.orders);
  if (verb === 'reopen' && isStateless(before)) {
    await confirm(`order ${orderId} is ${stateOf(before)}: make it pending?`);
  }
  const change = { verb, by: await stage.operator(), nowMs: stage.now() };
  const changed = orderJson(await changeOrder(before, change, stage.orders));
  return {
    json: `${changed.slice(0, -1)},"before":${orderJson(before)}}`,
    text: `Order ${orderId} is ${transitions[verb].to}. Before:\n${orderJson(before)}`,
  };
}

/** The attributes that a change sets. Clients see neither status nor shippedAt, so shipping also sets theirs. */
export function changedFields({ verb, by, nowMs, shipDate }: OrderChange): Item {
  const { to, done } = transitions[verb];
  const now = { S: new Date(nowMs).toISOString() };
  return {
    status: { S: to },
    [`${done}At` as const satisfies FileField]: now,
    [`${done}By` as const satisfies FileField]: { S: by },
    ...(verb === 'ship' && { complete: { BOOL: true }, shipDate: shipDate ?? now }),
  };
}

/** Returns the order after a change. @throws OperatorError if its state does not allow it, or it has changed since */
export async function changeOrder(
  before: Item,
  change: OrderChange,
  table: OrdersTable,
): Promise<Item> {
  refuseUnlessAllowed(change, before);
  const lastCancellation = Object.keys(cancellationFields);
  const asRead = ['status', ...lastCancellation].map((name) => [name, unchanged(before[name])]);
  const write = { set: changedFields(change), where: Object.fromEntries(asRead) };
  const result = await updateOrder(before, write, table);
  if ('order' in result) return result.order;
  if (result.found) refuseUnlessAllowed(change, result.found);
  throw new ChangedMeanwhileError(`Order ${before.id!.N}`);
}

/** Whether an order is in none of the states, so that nothing but reopening it can change its state. */
export function isStateless({ status }: Item): boolean {
  return !orderStatuses.includes(status?.S as OrderStatus);
}

function refuseUnlessAllowed({ verb }: OrderChange, order: Item): void {
  const { from, to, done } = transitions[verb];
  const { id, status, shippedAt, cancelledAt } = order;
  if (status?.S === from || (verb === 'reopen' && isStateless(order))) return;
  const since = { shipped: shippedAt, cancelled: cancelledAt }[String(status?.S)]?.S;
  const state = `Order ${id!.N} is ${stateOf(order)}${since ? ` since ${since}` : ''}`;
  const Refusal = status?.S === to ? AlreadyDoneError : WrongStateError;
  const remedy = isStateless(order) ? `; "./admin orders reopen ${id!.N}" makes it pending` : '';
  throw new Refusal(`${state}: only a ${from} order can be ${done}${remedy}`);
}

/** Describes the state of an order in a message. An unknown one is quoted, because it can be `pending ` or empty. */
export function stateOf(order: Item): string {
  const { status } = order;
  if (!status) return 'without a status';
  if (status.S === undefined) return 'in a state that is not a text';
  return isStateless(order) ? quoted(status.S) : status.S;
}
