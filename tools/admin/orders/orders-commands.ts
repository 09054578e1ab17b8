import type { Command } from 'commander';
import type { CommandIo } from '../console/command-io.ts';
import { addVerb } from '../console/verb.ts';
import { type Field, recordText } from '../console/view.ts';
import { addChangeCommands } from './change-commands.ts';
import { addImportCommand } from './import-command.ts';
import { orderJson, orderMembers } from './order-json.ts';
import { addReopenCommand } from './reopen-command.ts';
import { findOrder } from './stored-orders.ts';

/** Adds the commands `orders …`. */
export function addOrdersCommands(program: Command, io: CommandIo): void {
  const orders = program.command('orders').description('import, show and change orders');
  addImportCommand(orders, io);
  addVerb(orders, io, {
    usage: 'show <orderId>',
    description: 'show one order with everything that is stored about it',
    help:
      '\nA terminal shows the fields of the order. A pipe or a file gets the order as one line of JSON, which\n' +
      '"./admin orders import" reads.',
    run: async ({ stage }, orderId) => {
      const order = await findOrder(orderId!, stage.orders);
      const json = orderJson(order);
      const unquoted = (text: string) => text.replace(/^"(.*)"$/, '$1');
      const fields = orderMembers(order).map(
        ([name, value]): Field<undefined> => ({
          name: unquoted(JSON.stringify(name)),
          of: () => unquoted(value),
        }),
      );
      return { json, text: io.stdout.isTTY ? recordText(fields, undefined) : json };
    },
  });
  addChangeCommands(orders, io);
  addReopenCommand(orders, io);
}
