import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { lstat, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { type OrderStatus, orderStatuses } from '../../../lambdas/domain/order-states.ts';
import {
  InterruptedError,
  InvalidValueError,
  OperatorError,
  reasonOf,
} from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import { type CommandIo, print, type Result } from '../console/command-io.ts';
import { addVerb, type Call } from '../console/verb.ts';
import { counted } from '../console/view.ts';
import { failureOf } from '../stage/service-failure.ts';
import { orderJson } from './order-json.ts';
import { scanOrders } from './stored-orders.ts';

interface ExportOptions {
  out?: string;
  status?: OrderStatus;
}

/** Adds the command `orders export`. */
export function addExportCommand(orders: Command, io: CommandIo): void {
  addVerb<ExportOptions>(orders, io, {
    usage: 'export',
    description: 'write orders to a file that can be imported again',
    options: [
      new Option('--out <file>', 'the file to write, or - for standard output (default: -)'),
      new Option('--status <status>', 'only orders in this state').choices(orderStatuses),
    ],
    examples: [
      'orders export --stage prod --out orders.jsonl',
      'orders export --stage prod --status pending | wc -l',
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
  const { status } = options;
  const out = options.out === '-' ? undefined : options.out;
  if (out !== undefined) await refuseUnlessFile('--out', out);
  let exported = 0;
  const isShown = out === undefined && stdout.isTTY;
  const texts = async function* () {
    for await (const orders of scanOrders(stage.orders, io, isShown)) {
      const wanted = orders.filter((order) => status === undefined || order.status?.S === status);
      exported += wanted.length;
      const text = wanted.map((order) => `${orderJson(order)}\n`).join('');
      yield isShown ? printable(text) : text;
    }
  };
  try {
    if (out !== undefined) await writeWhole(out, texts());
    else {
      // Without this, an export that is interrupted would wait forever for a reader that has stopped reading.
      interruption.addEventListener('abort', () => stdout.destroy());
      await pipeline(brokenUntilComplete(texts()), stdout, { end: false });
    }
  } catch (error) {
    if (interruption.aborted) {
      const problem = `interrupted after ${counted(exported, 'order')}`;
      throw new InterruptedError(problem, { remedy: 'run the command again' });
    }
    throw error;
  }
  const text = `Exported ${counted(exported, 'order')}`;
  if (out !== undefined) {
    return { value: { orders: exported, out }, text: `${text} to ${out}.` };
  }
  // Standard output contains the orders, so the count goes to standard error.
  print(stderr, `${text}.`);
  return undefined;
}

/**
 * Delays the last `}` of each page until the next page is read, because a line without its `}` is not valid. So if the
 * export fails, an import that reads from the pipe refuses the last line.
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

/**
 * Refuses a path that is empty, is `-`, or exists and is not a file. The export renames the finished file. This would
 * replace `/dev/null` for the whole machine, and would let the reader of a named pipe wait forever.
 */
async function refuseUnlessFile(option: string, path: string): Promise<void> {
  const present = await lstat(path).catch(() => undefined);
  if (!['', '-'].includes(path) && (!present || present.isFile())) return;
  throw new InvalidValueError(option, path, 'the path of a file; for a pipe, omit the option');
}

/** Writes a file that only this user can read. The file gets its name when it is complete and on the disk. */
async function writeWhole(path: string, texts: AsyncIterable<string>): Promise<void> {
  // Nobody can prepare a link here, because the name is random and an existing file is an error.
  const partial = `${path}.${randomBytes(8).toString('hex')}.partial`;
  const options = { flags: 'wx', mode: 0o600, flush: true };
  try {
    await pipeline(texts, createWriteStream(partial, options));
    await rename(partial, path);
  } catch (error) {
    // An error of the removal is ignored, because it would hide why the file was not written.
    await rm(partial, { force: true }).catch(() => {});
    if (error instanceof OperatorError || failureOf(error)) throw error;
    throw new OperatorError(`${path}: not written: ${reasonOf(error)}`, { cause: error });
  }
}
