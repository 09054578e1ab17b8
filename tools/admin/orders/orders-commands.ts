import cliProgress from 'cli-progress';
import { type Command, Option } from 'commander';
import { type CommandIo, type GlobalOptions, printMessage } from '../console/command-io.ts';
import { wholeNumber } from '../console/option-values.ts';
import { counted, grouped } from '../console/view.ts';
import type { StageConnection } from '../stage/stage-connection.ts';
import { addVerb } from '../stage/verb.ts';
import { exportFormats, exportOrders } from './export-orders.ts';
import {
  type ImportCounts,
  type ImportObserver,
  type ImportRequest,
  importOrders,
} from './import-orders.ts';
import { importableStatuses } from './order-record.ts';
import { orderJson } from './order-text.ts';
import { changeState, findOrder, ordersTable, transitions } from './orders-table.ts';

/** Adds the commands `orders …`. */
export function addOrdersCommands(program: Command, io: CommandIo): void {
  const orders = program.command('orders').description('load, save, show and change orders');
  addVerb<Omit<ImportRequest, 'path'>>(orders, io, {
    usage: 'import <file>',
    description: 'load a file of orders, of any size',
    options: [
      new Option('--on-error <what>', 'with a bad line in the file: load nothing, or all others')
        .choices(['stop', 'skip'])
        .default('stop'),
      new Option('--from-line <line>', 'the first line to load').argParser(wholeNumber).default(1),
    ],
    help: importHelp,
    examples: [
      'orders import orders.jsonl --stage staging',
      'orders import orders.jsonl --stage prod --on-error skip 2> bad-lines.txt',
    ],
    run: async ({ stage, options }, path) => {
      const startedMs = io.now();
      const counts = await runImport({ ...options, path }, stage, io);
      const seconds = (io.now() - startedMs) / 1_000;
      return { value: { file: path, ...counts, seconds }, text: importText(counts, seconds) };
    },
  });
  addVerb<{ format?: (typeof exportFormats)[number]; out?: string }>(orders, io, {
    usage: 'export',
    description: 'write all orders, as a file that can be imported again or as a table',
    options: [
      new Option('--format <format>', 'without it: csv if --out ends so, otherwise jsonl').choices(
        exportFormats,
      ),
      new Option('--out <file>', 'where to; without it, standard output'),
    ],
    examples: [
      'orders export --stage prod --out orders.jsonl',
      'orders export --stage prod --format csv | gzip > orders.csv.gz',
    ],
    run: async ({ stage, options }) => {
      const exported = await exportOrders(tableOf(stage), options, io.stdout);
      const text = `Exported ${counted(exported.orders, 'order')}`;
      if (options.out !== undefined) return { value: exported, text: `${text} to ${options.out}.` };
      // Without a file, standard output contains the orders, so the count goes to standard error.
      printMessage(io, `${text}.`);
      return undefined;
    },
  });
  addVerb<GlobalOptions>(orders, io, {
    usage: 'show <orderId>',
    description: 'one order, with all that is stored of it',
    run: async ({ stage }, orderId) => {
      const json = orderJson(await findOrder(orderId, tableOf(stage)));
      return { json, text: json };
    },
  });
  for (const [verb, transition] of Object.entries(transitions)) {
    addVerb<GlobalOptions>(orders, io, {
      usage: `${verb} <orderId>`,
      description: transition.description,
      run: async ({ stage, nowMs }, orderId) => {
        const changed = await changeState(orderId, transition, tableOf(stage), nowMs);
        const json = orderJson(changed.order);
        const text = `Order ${orderId} is ${changed.order.status}.`;
        if (!changed.before) return { json, text };
        const before = orderJson(changed.before);
        return {
          json: `${json.slice(0, -1)},"before":${before}}`,
          text: `${text} Before:\n${before}`,
        };
      },
    });
  }
}

function tableOf({ dynamodb, ordersTable: tableName }: StageConnection) {
  return ordersTable(dynamodb, tableName);
}

async function runImport(
  request: ImportRequest,
  { singleAttemptClient, ordersTable: tableName }: StageConnection,
  io: CommandIo,
): Promise<ImportCounts> {
  // The import repeats failed calls itself, so the client must not repeat them as well.
  const table = { ...ordersTable(singleAttemptClient, tableName), wait: io.wait };
  const bar = progressBar(io);
  let differences = 0;
  const tell = (text: string) => {
    // The next update draws the bar again, below the text.
    if (io.stderr.isTTY) io.stderr.write('\r\x1b[K');
    printMessage(io, `${request.path}: ${text}`);
  };
  const observer: ImportObserver = {
    onPhase: (phase, bytes) => bar.start(bytes, 0, { phase, orders: 0 }),
    onProgress: (bytes, orders) => io.stderr.isTTY && bar.update(bytes, { orders }),
    onBadLine: ({ message }) => tell(message),
    onDifferent: ({ message }) => {
      differences++;
      if (differences <= differencesTold) tell(message);
      if (differences === differencesTold) tell('further such lines are only counted');
    },
  };
  try {
    return await importOrders(request, table, observer, io.onInterrupt());
  } finally {
    bar.stop();
  }
}

/** The bar is drawn on a terminal only. */
function progressBar({ stderr }: CommandIo) {
  return new cliProgress.SingleBar({
    stream: stderr as NodeJS.WritableStream,
    format: '{phase} [{bar}] {percentage}% | {orders} orders | {eta_formatted} left',
    barsize: 30,
    fps: 8,
    hideCursor: true,
    gracefulExit: false,
    // The library formats an unknown time as a part of the word NULL.
    formatTime: (seconds, ...rest) =>
      Number.isFinite(seconds) ? cliProgress.Format.TimeFormat(seconds, ...rest) : '-',
  });
}

/** The number of differing orders that are printed. An import can have millions of them. */
const differencesTold = 20;

const importHelp = `
A file has one order, a JSON object, on each line (JSON Lines), as "orders export" writes it:
  {"id":9007199254740993,"petId":7,"quantity":2,"shipDate":"2026-11-20T09:30:00Z","complete":false,"status":"pending"}
Only id is required; status is one of ${importableStatuses.join(', ')}, and pending when it is missing.

An order that is in the table already is left as it is: importing a file again changes nothing,
and never undoes a cancellation. If it has other values than the line, you are told.
So an import that was interrupted is simply run again.`;

function importText(
  { inserted, alreadyThere, different, rejected }: ImportCounts,
  seconds: number,
): string {
  const kept = different > 0 ? ` ${grouped(different)} with other values, left as they are;` : '';
  return (
    `Imported ${counted(inserted, 'order')} in ${seconds.toFixed(1)} s; ` +
    `${grouped(alreadyThere)} were there already;${kept} ${counted(rejected, 'bad line')} left out.`
  );
}
