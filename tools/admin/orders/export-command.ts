import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { type OrderStatus, orderStatuses } from '../../../lambdas/orders/order-states.ts';
import { InterruptedError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import { type CommandIo, print } from '../console/command-io.ts';
import { addVerb, type Call } from '../console/verb.ts';
import { counted } from '../console/view.ts';
import { orderJson } from './order-json.ts';
import { scanOrders } from './stored-orders.ts';

interface ExportOptions {
  status?: OrderStatus;
}

/** Adds the command `orders export`. */
export function addExportCommand(orders: Command, io: CommandIo): void {
  addVerb<ExportOptions>(orders, io, {
    usage: 'export',
    alias: 'list',
    description: 'write orders to standard output, as they can be imported again',
    options: [new Option('--status <status>', 'only orders in this state').choices(orderStatuses)],
    examples: [
      'orders export --stage prod > orders.jsonl',
      'orders export --stage prod --status pending | wc -l',
    ],
    isInterruptible: true,
    run: exportOrders,
  });
}

/** Writes orders to standard output, in no particular order, as they are when their pages are read. */
async function exportOrders({ stage, options, io }: Call<ExportOptions>): Promise<undefined> {
  const { stdout, stderr, interruption } = io;
  const { status } = options;
  let exported = 0;
  const texts = async function* () {
    for await (const orders of scanOrders(stage.orders, io, stdout.isTTY)) {
      const wanted = orders.filter((order) => status === undefined || order.status?.S === status);
      exported += wanted.length;
      const text = wanted.map((order) => `${orderJson(order)}\n`).join('');
      yield stdout.isTTY ? printable(text) : text;
    }
  };
  // Without this, an export that is interrupted would wait forever for a reader that has stopped reading.
  interruption.addEventListener('abort', () => stdout.destroy());
  await pipeline(texts(), stdout, { end: false }).catch((error) => {
    if (!interruption.aborted) throw error;
    const problem = `interrupted after ${counted(exported, 'order')}`;
    throw new InterruptedError(problem, { remedy: 'run the command again' });
  });
  // Standard output contains the orders, so the count goes to standard error.
  print(stderr, `Exported ${counted(exported, 'order')}.`);
}
