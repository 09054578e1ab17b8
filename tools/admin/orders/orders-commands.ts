import { closeSync, openSync, writeSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import cliProgress from 'cli-progress';
import { type Command, Option } from 'commander';
import { isFinal, orderStatuses } from '../../../lambdas/shared/order-states.ts';
import { DifferentError, InvalidValueError, NotFoundError, reasonOf } from '../../shared/errors.ts';
import { type CommandIo, print } from '../console/command-io.ts';
import { counted, grouped } from '../console/view.ts';
import type { StageConnection } from '../stage/stage-connection.ts';
import { addVerb } from '../stage/verb.ts';
import {
  type ExportRequest,
  exportFormats,
  exportOrders,
  refuseUnlessFile,
} from './export-orders.ts';
import {
  type ImportCounts,
  type ImportObserver,
  type ImportRequest,
  importOrders,
} from './import-orders.ts';
import { orderJson } from './order-text.ts';
import { changeState, findOrder, ordersTable, transitions } from './orders-table.ts';

const finalStates = orderStatuses.filter(isFinal).join(' or ');

/** Adds the commands `orders …`. */
export function addOrdersCommands(program: Command, io: CommandIo): void {
  const orders = program.command('orders').description('load, save, show and change orders');
  addVerb<ImportOptions>(orders, io, {
    usage: 'import <file>',
    description: 'load a file of orders; - is standard input',
    options: [
      new Option('--on-error <what>', 'with a bad line in the file: load nothing, or all others')
        .choices(['stop', 'skip'])
        .default('stop'),
      new Option('--rejects <file>', 'where to write the bad lines, to be corrected'),
      new Option('--replace', 'change the orders of the table that differ from their lines'),
      new Option('--dry-run', 'say what would be changed, and write nothing'),
    ],
    help: importHelp,
    examples: [
      'orders import orders.jsonl --stage staging',
      'orders import orders.jsonl --stage prod --on-error skip --rejects bad.jsonl',
      'orders import yesterday.jsonl --stage prod --replace --dry-run',
    ],
    run: async ({ stage, options, printResult }, path) => {
      const startedMs = stage.now();
      const counts = await runImport({ ...options, path, stdin: io.stdin }, stage, io);
      const seconds = (stage.now() - startedMs) / 1_000;
      const text = importText(counts, options, seconds);
      const result = { value: { file: path, ...counts, seconds }, text };
      if (counts.different === 0) return result;
      await printResult(result);
      throw new DifferentError(
        `${path}: ${counted(counts.different, 'order')} left as in the table`,
        {
          remedy: `--replace changes what is not ${finalStates}, and says how with --dry-run`,
        },
      );
    },
  });
  addVerb<ExportRequest & { table?: string }>(orders, io, {
    usage: 'export',
    description: 'write all orders, as a file that can be imported again or as a table',
    options: [
      new Option('--format <format>', 'without it: csv if --out ends so, otherwise jsonl').choices(
        exportFormats,
      ),
      new Option('--out <file>', 'where to; without it, standard output'),
      new Option('--table <name>', "a restored table, instead of the stage's own"),
    ],
    examples: [
      'orders export --stage prod --out orders.jsonl',
      'orders export --stage prod --format csv | gzip > orders.csv.gz',
    ],
    run: async ({ stage, options }) => {
      const table = ordersTable(stage.dynamodb, options.table ?? stage.ordersTable);
      const exported = await exportOrders(table, options, io.stdout).catch((error) => {
        const isMissing = options.table && Object(error).name === 'ResourceNotFoundException';
        throw isMissing ? new NotFoundError(`There is no table ${options.table}`) : error;
      });
      const text = `Exported ${counted(exported.orders, 'order')}`;
      if (options.out !== undefined) return { value: exported, text: `${text} to ${options.out}.` };
      // Without a file, standard output contains the orders, so the count goes to standard error.
      print(io.stderr, `${text}.`);
      return undefined;
    },
  });
  addVerb(orders, io, {
    usage: 'show <orderId>',
    description: 'one order, with all that is stored of it',
    run: async ({ stage }, orderId) => {
      const json = orderJson(await findOrder(orderId, tableOf(stage)));
      return { json, text: json };
    },
  });
  const changes = [
    ['ship', 'mark a pending order as shipped; from then on it cannot be cancelled'],
    ['cancel', 'cancel a pending order'],
    ['reopen', 'make a cancelled order pending again'],
  ] as const;
  for (const [verb, description] of changes) {
    addVerb(orders, io, {
      usage: `${verb} <orderId>`,
      description,
      run: async ({ stage }, orderId) => {
        const table = tableOf(stage);
        const changed = await changeState(orderId, verb, table, stage.now());
        const [json, before] = [orderJson(changed.order), orderJson(changed.before)];
        const { to, done } = transitions[verb];
        const { status } = changed.order;
        const state =
          status === to ? `is ${to}` : `was ${done}, and has been changed since: it is ${status}`;
        return {
          json: `${json.slice(0, -1)},"before":${before}}`,
          text: `Order ${orderId} ${state}. Before:\n${before}`,
        };
      },
    });
  }
}

function tableOf({ dynamodb, ordersTable: tableName }: StageConnection) {
  return ordersTable(dynamodb, tableName);
}

interface ImportOptions extends Omit<ImportRequest, 'path' | 'stdin'> {
  rejects?: string;
}

async function runImport(
  request: ImportRequest & ImportOptions,
  { singleAttemptClient, ordersTable: tableName }: StageConnection,
  io: CommandIo,
): Promise<ImportCounts> {
  // The import repeats failed calls itself, so the client must not repeat them as well.
  const table = { ...ordersTable(singleAttemptClient, tableName), wait: io.wait };
  const bar = progressBar(io);
  const rejects = await openRejects(request);
  let differences = 0;
  const tell = (text: string) => {
    // The next update draws the bar again, below the text.
    if (io.stderr.isTTY) io.stderr.write('\r\x1b[K');
    print(io.stderr, `${request.path}: ${text}`);
  };
  const observer: ImportObserver = {
    onPhase: (phase, bytes) => bar.start(bytes, 0, { phase, orders: 0 }),
    onProgress: (bytes, orders) => io.stderr.isTTY && bar.update(bytes, { orders }),
    onBadLine: ({ message }, line) => {
      tell(message);
      if (rejects !== undefined) writeSync(rejects, Buffer.concat([line, Buffer.from('\n')]));
    },
    onDifferent: ({ message }) => {
      differences++;
      if (request.dryRun || differences <= differencesTold) tell(message);
      if (!request.dryRun && differences === differencesTold)
        tell('further such lines are only counted');
    },
  };
  try {
    return await importOrders(request, table, observer, io.onInterrupt());
  } finally {
    bar.stop();
    if (rejects !== undefined) closeSync(rejects);
  }
}

/** Opens the file for bad lines. @throws InvalidValueError when it is no file, or the one to import */
async function openRejects({ rejects, path }: ImportRequest & ImportOptions) {
  if (rejects === undefined) return undefined;
  await refuseUnlessFile('--rejects', rejects);
  const [present, read] = await Promise.all(
    [rejects, path].map((file) => realpath(file).catch(() => undefined)),
  );
  if (present !== undefined && present === read) {
    throw new InvalidValueError('--rejects', rejects, 'another file than the one to import');
  }
  try {
    return openSync(rejects, 'w', 0o600);
  } catch (error) {
    throw new InvalidValueError('--rejects', rejects, `a file to write (${reasonOf(error)})`);
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
Only id is required; status is one of ${orderStatuses.join(', ')}. A new order without it is
pending, or shipped if "complete" is true.

An order that is in the table already is left as it is: importing a file again changes nothing, so an
import that was interrupted is simply run again. If it has other values than the line, you are told,
and the exit code is 4. With --replace it becomes the order of the line, which has to have a status: in
one write, if it has not changed meanwhile. What is ${finalStates} stays so.`;

function importText(
  { inserted, alreadyThere, replaced, different, rejected }: ImportCounts,
  { replace, dryRun }: ImportOptions,
  seconds: number,
): string {
  const imported = `${dryRun ? 'Would have imported' : 'Imported'} ${counted(inserted, 'order')}`;
  const changed = replace ? ` and changed ${grouped(replaced)}` : '';
  const kept = different > 0 ? ` ${grouped(different)} with other values, left as they are;` : '';
  return (
    `${imported}${changed} in ${seconds.toFixed(1)} s; ${grouped(alreadyThere)} were there already;` +
    `${kept} ${counted(rejected, 'bad line')} left out.`
  );
}
