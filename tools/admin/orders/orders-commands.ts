import type { Command } from 'commander';
import type { CommandIo } from '../console/command-io.ts';
import { asOption } from '../console/operator-name.ts';
import { addVerb } from '../console/verb.ts';
import { changeOne, showCommand } from './change-order.ts';
import { addCheckCommand } from './check-command.ts';
import { addDeleteCommand } from './delete-command.ts';
import { addExportCommand } from './export-command.ts';
import { addImportCommand } from './import-command.ts';
import { orderJson } from './order-json.ts';
import { addReopenCommand } from './reopen-command.ts';
import { addShipCommand } from './ship-command.ts';
import { findOrder } from './stored-orders.ts';

/** Adds the commands `orders …`. */
export function addOrdersCommands(program: Command, io: CommandIo): void {
  const orders = program
    .command('orders')
    .description('import, export, show, change, check and delete orders');
  addImportCommand(orders, io);
  addExportCommand(orders, io);
  addVerb(orders, io, {
    usage: 'show <orderId>',
    description: 'show one order with everything that is stored about it',
    run: async ({ stage }, orderId) => {
      const json = orderJson(await findOrder(orderId!, stage.orders));
      return { json, text: json };
    },
  });
  addShipCommand(orders, io);
  addVerb(orders, io, {
    usage: 'cancel <orderId>',
    description: 'cancel a pending order',
    options: [asOption],
    showCommand,
    run: (call, orderId) => changeOne(orderId!, 'cancel', call),
  });
  addReopenCommand(orders, io);
  addCheckCommand(orders, io);
  addDeleteCommand(orders, io);
}
