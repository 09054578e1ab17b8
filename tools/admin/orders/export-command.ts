import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { type OrderStatus, orderStatuses } from '../../../lambdas/domain/order-states.ts';
import {
  InterruptedError,
  InvalidValueError,
  NotFoundError,
  OperatorError,
} from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import { type CommandIo, print, type Result } from '../console/command-io.ts';
import { progressLine } from '../console/progress.ts';
import { addVerb, type Call } from '../console/verb.ts';
import { counted } from '../console/view.ts';
import { csvHeader, orderCsv } from './order-csv.ts';
import { orderJson } from './order-json.ts';
import { formatOf, formatOption, type OrdersFormat } from './orders-file.ts';
import { scanOrders } from './stored-orders.ts';
import { refuseUnlessFile, writeWhole } from './whole-file.ts';

interface ExportOptions {
  format?: OrdersFormat;
  out?: string;
  status?: OrderStatus;
  table?: string;
}

/** Adds the command `orders export`. */
export function addExportCommand(orders: Command, io: CommandIo): void {
  addVerb<ExportOptions>(orders, io, {
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
    run: exportOrders,
  });
}

/** Writes orders to a file or to standard output, in no particular order, as they are when their pages are read. */
async function exportOrders({
  stage,
  options,
  io,
}: Call<ExportOptions>): Promise<Result | undefined> {
  const { stdout, stderr, interruption } = io;
  const { status, table: tableName = stage.orders.tableName } = options;
  const out = options.out === '-' ? undefined : options.out;
  const { format = formatOf(out) } = options;
  if (!/^[\w.-]{3,255}$/.test(tableName)) {
    throw new InvalidValueError('--table', tableName, 'the name of a restored table');
  }
  if (out !== undefined) await refuseUnlessFile('--out', out);
  let exported = 0;
  const lineOf = format === 'csv' ? orderCsv : orderJson;
  const line = progressLine(io);
  const isShown = out === undefined && stdout.isTTY;
  const texts = async function* () {
    if (format === 'csv') yield `${csvHeader}\n`;
    for await (const orders of scanOrders({ ...stage.orders, tableName })) {
      if (orders.some(({ id }) => id?.N === undefined)) {
        throw new OperatorError(`${tableName} contains items that are not orders`);
      }
      interruption.throwIfAborted();
      const wanted = orders.filter((order) => status === undefined || order.status?.S === status);
      exported += wanted.length;
      if (!isShown) line.draw(`${counted(exported, 'order')} exported`);
      const text = wanted.map((order) => `${lineOf(order)}\n`).join('');
      yield isShown ? printable(text) : text;
    }
  };
  try {
    if (out !== undefined) {
      await writeWhole(out, async (append) => {
        for await (const text of brokenUntilComplete(texts())) await append(text);
      });
    } else {
      // Otherwise, a reader that does not read would block the export forever.
      interruption.addEventListener('abort', () => stdout.destroy());
      await pipeline(brokenUntilComplete(texts()), stdout, { end: false });
    }
  } catch (error) {
    if (interruption.aborted) {
      const problem = `interrupted after ${counted(exported, 'order')}`;
      throw new InterruptedError(problem, { remedy: 'run the command again' });
    }
    const isUnknown = options.table && Object(error).name === 'ResourceNotFoundException';
    throw isUnknown ? new NotFoundError(`There is no table ${tableName}`) : error;
  } finally {
    line.clear();
  }
  const text = `Exported ${counted(exported, 'order')}`;
  if (out !== undefined) {
    return { value: { orders: exported, format, out }, text: `${text} to ${out}.` };
  }
  // Standard output contains the orders, so the count goes to standard error.
  print(stderr, `${text}.`);
  return undefined;
}

/**
 * Keeps back the last character of the last line so far, without which no line is valid: `}` of JSON, and of CSV a
 * comma or a quotation mark. So an import refuses what it reads from a pipe if the export has failed. If it was killed,
 * the pipe can have taken any part of a text, which ends with a whole line once in hundreds of times.
 */
async function* brokenUntilComplete(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of texts) {
    const whole = rest + text;
    yield whole.slice(0, -2);
    rest = whole.slice(-2);
  }
  yield rest;
}
