import type { Command } from 'commander';
import type { Item } from '../../../lambdas/contract/item.ts';
import type { CommandIo, Result } from '../console/command-io.ts';
import { asOption } from '../console/operator-name.ts';
import { addVerb, type Call, yesOption } from '../console/verb.ts';
import { comparableNumber } from './attribute-json.ts';
import {
  changedFields,
  changeOrder,
  isStateless,
  type OrderChange,
  refuseUnlessAllowed,
  repairOf,
  stateOf,
  transitions,
} from './change-order.ts';
import { isOrderId, orderJson, orderOrIdOfLine, shipmentOfLine } from './order-json.ts';
import { type Outcome, runOverFile } from './orders-run.ts';
import { findOrder, updateOrder } from './stored-orders.ts';

/** Adds the commands `orders ship` and `orders cancel`. */
export function addChangeCommands(orders: Command, io: CommandIo): void {
  for (const verb of ['ship', 'cancel'] as const) {
    const { description, help } = texts[verb];
    addVerb(orders, io, {
      usage: `${verb} <idOrFile>`,
      description,
      options: [yesOption, asOption],
      asks: 'For a file, the command asks for confirmation',
      help,
      isInterruptible: true,
      showCommand,
      examples: [`orders ${verb} 1001 --stage prod`, `orders ${verb} orders.jsonl --stage prod`],
      run: (call, word) =>
        comparableNumber(word!) ? changeOne(word!, verb, call) : changeFile(word!, verb, call),
    });
  }
}

/** The command that shows an order; empty for a file. */
export const showCommand = (word: string) => (isOrderId(word) ? `orders show ${word}` : '');

const texts = {
  ship: {
    description:
      'mark a pending order, or the orders of a file, as shipped, so that nobody can cancel them',
    help: `
Give the id of an order, the path of a file, or - for standard input.
Each line of the file is an id. If an order was shipped earlier, its line also has the time:
  {"id":1001,"shipDate":"2026-11-20T09:30:00Z"}
Each order becomes complete. If an order of the file is cancelled, does not exist, or is in an unknown state, the
command does not ship this order, lists it, and ends with exit code 4. If the command is interrupted, run it again.
If you give an id, the command also ships an order in an unknown state.`,
    question: (orders: string) => `mark ${orders} as shipped?`,
    words: { shipped: 'Shipped', alreadyShipped: 'already shipped', cancelled: 'cancelled' },
    remedy: 'stop the parcels of the listed orders',
  },
  cancel: {
    description: 'cancel a pending order, or the orders of a file',
    help: `
Give the id of an order, the path of a file, or - for standard input.
Each line of the file is an id, or an order as "./admin orders export" writes it. The command uses only its id.
If an order of the file has shipped, does not exist, or is in an unknown state, the command does not cancel this order,
lists it, and ends with exit code 4. If the command is interrupted, run it again.`,
    question: (orders: string) => `cancel ${orders}? Each cancellation may start a refund.`,
    words: { cancelled: 'Cancelled', alreadyCancelled: 'already cancelled', shipped: 'shipped' },
    remedy: 'the listed orders are not cancelled',
  },
} as const;

const wayBack = (id: string) =>
  `\nIf that was a mistake, save this line as a file, run "./admin orders delete ${id}", and import the file.`;

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
    text: `Order ${orderId} is ${to}. Before:\n${json}${verb === 'ship' ? wayBack(orderId) : ''}`,
  };
}

/**
 * Changes the orders of a file, each with one conditional write. So if somebody cancels an order while it is marked as
 * shipped, only one of the two changes takes effect.
 */
async function changeFile(path: string, verb: 'ship' | 'cancel', call: Call): Promise<Result> {
  const { stage } = call;
  const by = stage.operator;
  const { question, words, remedy } = texts[verb];
  const { from, done } = transitions[verb];
  return runOverFile(call, path, verb === 'ship' ? shipmentOfLine : orderOrIdOfLine, {
    question,
    act: async ({ order }) => {
      const shipDate = verb === 'ship' ? order.shipDate : undefined;
      const set = changedFields({ verb, by, nowMs: stage.now(), shipDate });
      const result = await updateOrder(
        order,
        { set, where: { status: { S: from } } },
        stage.orders,
      );
      return 'order' in result ? { name: done } : outcomeWithout(verb, result.found);
    },
    words: { ...words, notFound: 'not found', unknownState: 'in an unknown state' },
    remedy,
  });
}

/** The outcome of an order that is not pending. */
function outcomeWithout(verb: 'ship' | 'cancel', found: Item | undefined): Outcome {
  if (!found) return { name: 'notFound', note: 'does not exist' };
  const note = stateOf(found);
  if (isStateless(found)) return { name: 'unknownState', note: `${note}; ${repairOf(found)}` };
  if (found.status!.S !== transitions[verb].to) return { name: found.status!.S!, note };
  return { name: verb === 'ship' ? 'alreadyShipped' : 'alreadyCancelled' };
}
