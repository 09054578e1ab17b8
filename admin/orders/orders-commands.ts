import { type Command, Option } from 'commander';
import {
  type CommandIo,
  type GlobalOptions,
  print,
  printMessage,
  printText,
} from '../console/command-io.ts';
import { examples, wholeNumber } from '../console/command-options.ts';
import { ProgressBar } from '../console/progress-bar.ts';
import { counted, grouped } from '../console/text-layout.ts';
import { openStage } from '../stage/open-stage.ts';
import { findOrder } from './find-order.ts';
import { type ImportObserver, type ImportSummary, importOrders } from './import-orders.ts';
import { orderJsonWithHistory } from './order-json.ts';
import { importableStatuses } from './order-record.ts';
import { type OrdersFormat, ordersFormats } from './orders-file.ts';
import { ordersTable } from './orders-table.ts';
import { shipOrder } from './ship-order.ts';
import { writeExport } from './write-export.ts';

interface ImportOptions extends GlobalOptions {
  format?: OrdersFormat;
  onError: 'stop' | 'skip';
  concurrency: number;
  restart?: boolean;
}

interface ExportOptions extends GlobalOptions {
  format?: OrdersFormat;
  out?: string;
}

/** Adds the commands `orders …`. Each one parses its options, calls one function and prints its result. */
export function addOrdersCommands(program: Command, io: CommandIo): void {
  const orders = program.command('orders').description('load, save, inspect and ship orders');
  addImport(orders, io);
  addExport(orders, io);
  addShow(orders, io);
  addShip(orders, io);
}

function addImport(orders: Command, io: CommandIo): void {
  const command = orders
    .command('import <file>')
    .description('load a file of orders, of any size')
    .addOption(formatOption('what the file is; without it, its name and first bytes tell'))
    .addOption(
      new Option('--on-error <what>', 'with a bad line in the file: load nothing, or all others')
        .choices(['stop', 'skip'])
        .default('stop'),
    )
    .option('--concurrency <batches>', 'batches of 25 under way at once', wholeNumber, 8)
    .option('--restart', 'begin at the first line, though an earlier import was interrupted')
    .addHelpText('after', importHelp)
    .action(async (file: string) => {
      const options = command.optsWithGlobals<ImportOptions>();
      const summary = await runImport(file, options, io);
      print(io, options, summary, importText(summary));
    });
}

function addExport(orders: Command, io: CommandIo): void {
  const command = orders
    .command('export')
    .description('write all orders as a file that can be imported again')
    .addOption(formatOption('without it: as --out ends, otherwise jsonl'))
    .option('--out <file>', 'where to; without it, standard output')
    .addHelpText(
      'after',
      examples(
        'orders export --stage prod --out orders.jsonl',
        'orders export --stage prod --format csv | gzip > orders.csv.gz',
      ),
    )
    .action(async () => {
      const options = command.optsWithGlobals<ExportOptions>();
      const exported = await writeExport(await connectTable(options, io), options, io.stdout);
      const text = `Exported ${counted(exported.orders, 'order')}`;
      // Without a file, standard output contains the orders, so the count goes to standard error.
      if (options.out) print(io, options, exported, `${text} to ${options.out}.`);
      else printMessage(io, `${text}.`);
    });
}

function addShow(orders: Command, io: CommandIo): void {
  const command = orders
    .command('show <orderId>')
    .description('one order, with its status')
    .addHelpText('after', examples('orders show 9007199254740993 --stage prod'))
    .action(async (orderId: string) => {
      const table = await connectTable(command.optsWithGlobals<GlobalOptions>(), io);
      const order = await findOrder(orderId, table);
      printText(io, orderJsonWithHistory(order));
    });
}

function addShip(orders: Command, io: CommandIo): void {
  const command = orders
    .command('ship <orderId>')
    .description('mark a pending order as shipped; from then on it cannot be cancelled')
    .addHelpText('after', examples('orders ship 9007199254740993 --stage prod'))
    .action(async (orderId: string) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const order = await shipOrder(orderId, await connectTable(options, io), io.now);
      const text = options.json ? orderJsonWithHistory(order) : `Order ${orderId} is shipped.`;
      printText(io, text);
    });
}

async function runImport(
  file: string,
  options: ImportOptions,
  io: CommandIo,
): Promise<ImportSummary> {
  const { singleAttemptClient, ordersTable: tableName, label } = await openStage(io, options);
  // The import repeats failed calls itself, so the client must not repeat them as well.
  const table = { ...ordersTable(singleAttemptClient, tableName), label };
  const bar = new ProgressBar(io.stderr, io.now);
  let differences = 0;
  const printOfFile = (text: string) => bar.interrupt(() => printMessage(io, `${file}: ${text}`));
  const observer: ImportObserver = {
    onPhase: (phase, bytes, total) => bar.begin(phase, bytes, total),
    onProgress: (bytes, orders) => bar.update(bytes, orders),
    onBadLine: ({ message }) => printOfFile(message),
    onDifferent: ({ message }) => {
      differences++;
      if (differences <= differencesTold) printOfFile(message);
      if (differences === differencesTold) printOfFile('further such lines are only counted');
    },
  };
  const { now, wait, stateDirectory } = io;
  try {
    return await importOrders(
      { path: file, ...options },
      { ...table, now, wait, stateDirectory, signal: io.onInterrupt() },
      observer,
    );
  } finally {
    bar.stop();
  }
}

/** The number of differing orders that are printed. An import can have millions of them. */
const differencesTold = 20;

const importHelp = `
A file is a JSON array, JSON Lines (one object a line) or CSV (with a header row). A line:
  {"id":9007199254740993,"petId":7,"quantity":2,"shipDate":"2026-11-20T09:30:00Z","complete":false,"status":"pending"}
Only id is required; status is one of ${importableStatuses.join(', ')}, and pending when it is missing.

An order that is in the table already is left as it is: importing a file again changes nothing,
and never undoes a cancellation. If it has other values than the line, you are told.
An import that was interrupted, even killed, goes on where it was when it is run again.
${examples(
  'orders import orders.jsonl --stage staging',
  'orders import orders.csv --stage prod --on-error skip 2> bad-lines.txt',
)}`;

function importText(summary: ImportSummary): string {
  const { inserted, alreadyThere, different, rejected, seconds, resumedAtLine } = summary;
  const kept = different > 0 ? ` ${grouped(different)} with other values, left as they are;` : '';
  const resumed = resumedAtLine === null ? '' : ` Resumed at line ${grouped(resumedAtLine)}.`;
  return (
    `Imported ${counted(inserted, 'order')} in ${seconds.toFixed(1)} s; ` +
    `${grouped(alreadyThere)} were there already;${kept} ${counted(rejected, 'bad line')} left out.${resumed}`
  );
}

async function connectTable(options: GlobalOptions, io: CommandIo) {
  const { dynamodb, ordersTable: tableName } = await openStage(io, options);
  return ordersTable(dynamodb, tableName);
}

function formatOption(description: string): Option {
  return new Option('--format <format>', description).choices(ordersFormats);
}
