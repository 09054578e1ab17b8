import type { Result } from '../console/command-io.ts';
import type { Call } from '../console/verb.ts';
import {
  changeOrder,
  isStateless,
  type OrderChange,
  stateOf,
  transitions,
} from './change-order.ts';
import { isOrderId, orderJson } from './order-json.ts';
import { findOrder } from './stored-orders.ts';

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
