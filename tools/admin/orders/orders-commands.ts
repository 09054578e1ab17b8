import { type Command, Option } from 'commander';
import { orderStatuses } from '../../../lambdas/domain/order-states.ts';
import { InvalidValueError, NotFoundError } from '../../shared/errors.ts';
import { type CommandIo, print } from '../console/command-io.ts';
import { progressLine } from '../console/progress.ts';
import { addVerb } from '../console/verb.ts';
import { counted } from '../console/view.ts';
import { addChangeCommands } from './change-commands.ts';
import { addCheckCommand } from './check-command.ts';
import { addDeleteCommand } from './delete-command.ts';
import { type ExportRequest, exportOrders } from './export-orders.ts';
import { addImportCommand } from './import-command.ts';
import { orderJson } from './order-json.ts';
import { formatOption } from './orders-file.ts';
import { addShipCommand } from './ship-command.ts';
import { findOrder } from './stored-orders.ts';

/** Adds the commands `orders …`. */
export function addOrdersCommands(program: Command, io: CommandIo): void {
  const orders = program
    .command('orders')
    .description('import, export, show, change, check and delete orders');
  addImportCommand(orders, io);
  addVerb<ExportRequest & { table?: string }>(orders, io, {
    usage: 'export',
    description: 'write orders to a file that can be imported again',
    options: [
      formatOption,
      new Option('--out <file>', 'the file to write; without it, or with -, standard output'),
      new Option('--status <status>', 'only orders in this state').choices(orderStatuses),
      new Option('--table <name>', "a restored table instead of the stage's own"),
    ],
    examples: [
      'orders export --stage prod --out orders.jsonl',
      'orders export --stage prod --format csv | gzip > orders.csv.gz',
    ],
    isInterruptible: true,
    run: async ({ stage, options }) => {
      if (options.table === '')
        throw new InvalidValueError('--table', '', 'the name of a restored table');
      const table = { ...stage.orders, ...(options.table && { tableName: options.table }) };
      const out = options.out === '-' ? undefined : options.out;
      const line = progressLine(io);
      const onProgress = (orders: number) => {
        if (out !== undefined || !io.stdout.isTTY)
          line.draw(`${counted(orders, 'order')} exported`);
      };
      const request = { ...options, out };
      const exported = await exportOrders(table, request, io.stdout, onProgress, io.interruption)
        .catch((error) => {
          const isUnknown = options.table && Object(error).name === 'ResourceNotFoundException';
          throw isUnknown ? new NotFoundError(`There is no table ${options.table}`) : error;
        })
        .finally(line.clear);
      const text = `Exported ${counted(exported.orders, 'order')}`;
      if (out !== undefined) return { value: exported, text: `${text} to ${out}.` };
      // Standard output contains the orders, so the count goes to standard error.
      print(io.stderr, `${text}.`);
      return undefined;
    },
  });
  addVerb(orders, io, {
    usage: 'show <orderId>',
    description: 'show one order with everything that is stored about it',
    run: async ({ stage }, orderId) => {
      const json = orderJson(await findOrder(orderId!, stage.orders));
      return { json, text: json };
    },
  });
  addShipCommand(orders, io);
  addChangeCommands(orders, io);
  addCheckCommand(orders, io);
  addDeleteCommand(orders, io);
}
