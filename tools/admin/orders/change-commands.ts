import type { Command } from 'commander';
import type { CommandIo, Result } from '../console/command-io.ts';
import { asOption } from '../console/operator-name.ts';
import { addVerb, type Call } from '../console/verb.ts';
import {
  changeOrder,
  type OrderChange,
  refuseUnlessAllowed,
  stateOf,
  transitions,
} from './change-order.ts';
import { isOrderId, orderJson } from './order-json.ts';
import { findOrder } from './stored-orders.ts';

/** Adds the commands `orders ship` and `orders cancel`. */
export function addChangeCommands(orders: Command, io: CommandIo): void {
  for (const verb of ['ship', 'cancel'] as const) {
    const { description, help } = texts[verb];
    addVerb(orders, io, {
      usage: `${verb} <orderId>`,
      description,
      options: [asOption],
      help,
      showCommand,
      examples: [`orders ${verb} 1001 --stage prod`],
      run: (call, orderId) => changeOne(orderId!, verb, call),
    });
  }
}

/** The command that shows an order; empty for a file. */
export const showCommand = (word: string) => (isOrderId(word) ? `orders show ${word}` : '');

const texts = {
  ship: {
    description: 'mark a pending order as shipped, so that nobody can cancel it',
    help: '\nThe order becomes complete. The command also ships an order in an unknown state.',
  },
  cancel: { description: 'cancel a pending order', help: '' },
} as const;

/** Changes the state of one order. The result has the order as it was before the change. */
export async function changeOne(
  orderId: string,
  verb: OrderChange['verb'],
  { stage, confirm }: Call,
): Promise<Result> {
  const before = await findOrder(orderId, stage.orders);
  const { to } = transitions[verb];
  const change = { verb, by: stage.operator, nowMs: stage.now() };
  refuseUnlessAllowed(change, before);
  if (verb === 'reopen') await confirm(`order ${orderId} ${stateOf(before)}: make it ${to}?`);
  const changed = orderJson(await changeOrder(before, change, stage.orders));
  const json = orderJson(before);
  return {
    json: `${changed.slice(0, -1)},"before":${json}}`,
    text: `Order ${orderId} is ${to}. Before:\n${json}`,
  };
}
