import { Readable } from 'node:stream';
import { type Command, Option } from 'commander';
import { ChangedMeanwhileError, DifferentError, UsageError } from '../../shared/errors.ts';
import type { CommandIo, Result } from '../console/command-io.ts';
import { orderProgress } from '../console/progress.ts';
import { addVerb, type Call, yesOption } from '../console/verb.ts';
import { counted, grouped } from '../console/view.ts';
import { comparableNumber } from './attribute-json.ts';
import { deleteOrders } from './delete-orders.ts';
import { idsJson, isOrderId, orderJson } from './order-json.ts';
import { formatOption, type OrdersFormat } from './orders-file.ts';
import { writeOnce } from './repeated-calls.ts';
import { deleteOrder, findOrder, refuseUnlessOrderId } from './stored-orders.ts';

interface DeleteOptions {
  format?: OrdersFormat;
  keep?: string;
  dryRun?: boolean;
}

/** Adds the command `orders delete`. */
export function addDeleteCommand(orders: Command, io: CommandIo): void {
  addVerb<DeleteOptions>(orders, io, {
    usage: 'delete <idsOrFile...>',
    description: 'remove orders, by their ids or by a file of orders or ids',
    options: [
      new Option('--keep <file>', 'first write the orders to this file, which can be imported'),
      new Option('--dry-run', 'print what would be deleted without deleting it'),
      formatOption,
      yesOption,
    ],
    help: deleteHelp,
    isInterruptible: true,
    examples: [
      'orders delete 1001 --stage staging',
      'orders delete wrong.jsonl --keep deleted.jsonl --stage prod',
    ],
    shownBy: (word) => (isOrderId(word) ? `orders show ${word}` : ''),
    run: (call, ...words) => {
      const areIds = words.every(comparableNumber);
      if (!areIds && words.length > 1) {
        throw new UsageError('give either order ids or one file', { remedy: 'see --help' });
      }
      if (areIds) words.forEach(refuseUnlessOrderId);
      const { keep, dryRun } = call.options;
      if (areIds && words.length === 1 && keep === undefined && !dryRun) {
        return deleteOne(words[0]!, call);
      }
      if (keep === undefined && !dryRun) {
        const remedy = 'it keeps the orders, so that "./admin orders import" can bring them back';
        throw new UsageError('--keep FILE is required for more than one order', { remedy });
      }
      return deleteMany(areIds ? { ids: words } : { path: words[0]! }, call);
    },
  });
}

async function deleteOne(id: string, { stage, io, confirm }: Call): Promise<Result> {
  const before = await findOrder(id, stage.orders);
  await confirm(`delete order ${id}, ${orderJson(before)}?`);
  const table = { ...stage.orders, wait: io.wait };
  const result = await writeOnce(table, () => deleteOrder(before, table));
  if (!('order' in result)) throw new ChangedMeanwhileError(`Order ${id}`);
  const json = orderJson(result.order);
  return { json, text: `Order ${id} is deleted. Before:\n${json}` };
}

async function deleteMany(
  { ids = [], path = '-' }: { ids?: string[]; path?: string },
  { stage, options, io, confirm }: Call<DeleteOptions>,
): Promise<Result> {
  const { dryRun, format } = options;
  const keep = dryRun ? undefined : options.keep;
  const stdin = ids.length > 0 ? Readable.from([ids.join('\n')]) : io.stdin;
  const question = (count: number) =>
    `delete ${counted(count, 'order')}, and keep them in ${keep}?`;
  const confirmed = async (count: number) => {
    if (keep) await confirm(question(count));
  };
  const progress = orderProgress(io, path);
  const request = { path, stdin, format, keep, confirm: confirmed };
  const table = { ...stage.orders, wait: io.wait };
  const deleting = deleteOrders(request, table, progress, io.interruption);
  const { deleted, ...others } = await deleting.finally(progress.clear);
  const { different, notFound, notKept } = others;
  const result = {
    json: idsJson(
      { kept: keep ?? null },
      { [keep ? 'deleted' : 'wouldDelete']: deleted, ...others },
    ),
    text:
      `${keep ? 'Deleted' : 'Would delete'} ${counted(deleted.length, 'order')}; ` +
      `${grouped(different.length)} different, ${grouped(notFound.length)} not found.`,
  };
  if (notKept.length > 0) {
    const left = `${counted(notKept.length, 'order')} not in ${keep}, which existed`;
    const remedy = 'give --keep the name of a new file to delete them, if they exist';
    return { ...result, failure: new DifferentError(left, { remedy }) };
  }
  if (different.length === 0) return result;
  const left = `${counted(different.length, 'order')} not as the file or the first reading says`;
  return { ...result, failure: new DifferentError(left, { remedy: 'look at the lines above' }) };
}

const deleteHelp = `
A file has ids, one on each line, or orders as JSON Lines or CSV. An order is deleted only if it has all values of
its line, and has not changed since it was read. First, --keep writes all of these orders to a file as JSON Lines,
which "./admin orders import" brings back. If the command is interrupted, run it again with the same file.`;
