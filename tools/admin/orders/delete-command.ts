import { existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { type Command, Option } from 'commander';
import { ChangedMeanwhileError, DifferentError, UsageError } from '../../shared/errors.ts';
import type { CommandIo, Result } from '../console/command-io.ts';
import { orderProgress } from '../console/progress.ts';
import { addVerb, type Call, yesOption } from '../console/verb.ts';
import { counted, grouped } from '../console/view.ts';
import { comparableNumber, isSame } from './attribute-json.ts';
import { showCommand } from './change-order.ts';
import { actOnFile, type FileAction } from './file-run.ts';
import { differences, differingNames, getOrders } from './import-orders.ts';
import { idsJson, orderJson } from './order-json.ts';
import { newOrder } from './order-record.ts';
import { formatOption, type OrderLine, type OrdersFormat } from './orders-file.ts';
import { type RetryingTable, writeOnce } from './repeated-calls.ts';
import { deleteOrder, findOrder, refuseUnlessOrderId } from './stored-orders.ts';
import { refuseUnlessFile, writeWhole } from './whole-file.ts';

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
    showCommand,
    run: (call, ...words) => {
      const { keep, dryRun } = call.options;
      const areIds = words.every(comparableNumber);
      if (areIds) words.forEach(refuseUnlessOrderId);
      else if (words.length > 1) {
        throw new UsageError('give either order ids or one file', { remedy: 'see --help' });
      }
      if (dryRun || keep !== undefined) return deleteMany(words, areIds, call);
      if (areIds && words.length === 1) return deleteOne(words[0]!, call);
      const remedy = 'it keeps the orders, so that "./admin orders import" can bring them back';
      throw new UsageError('--keep FILE is required for more than one order', { remedy });
    },
  });
}

async function deleteOne(id: string, { stage, confirm }: Call): Promise<Result> {
  const before = await findOrder(id, stage.orders);
  await confirm(`delete order ${id}, ${orderJson(before)}?`);
  const result = await deleteOrder(before, stage.orders);
  if (!('order' in result)) throw new ChangedMeanwhileError(`Order ${id}`);
  const json = orderJson(result.order);
  return { json, text: `Order ${id} is deleted. Before:\n${json}` };
}

/**
 * Deletes the orders that still are as their lines say. First it writes them whole to a file. Then it deletes each
 * that still is as that file says. So every deleted order is in the file. If the file exists, an earlier run has
 * written it, and this one completes the deletion.
 */
async function deleteMany(
  words: string[],
  areIds: boolean,
  { stage, options, io, confirm }: Call<DeleteOptions>,
): Promise<Result> {
  const keep = options.dryRun ? undefined : options.keep;
  using progress = orderProgress(io, areIds ? '-' : words[0]!);
  const stdin = areIds ? Readable.from([words.join('\n')]) : io.stdin;
  const file = { ...progress, stdin, format: options.format };
  const deletion = deletionFrom({ ...stage.orders, wait: io.wait }, progress.onDifference);
  const onChecked = async (orders: number) =>
    keep && confirm(`delete ${counted(orders, 'order')}, and keep them in ${keep}?`);
  const read = (act: FileAction['act']) =>
    actOnFile(file, { canBeId: true, batchSize: 100, done: 'compared', onChecked, act });
  if (keep === undefined) await read(deletion.compare);
  else {
    await refuseUnlessFile('--keep', keep);
    if (existsSync(keep)) await read(async (batch) => deletion.choose(batch));
    else {
      await writeWhole(keep, (append) =>
        read(async (batch) => append(await deletion.compare(batch))),
      );
    }
    const kept = { ...orderProgress(io, keep), format: 'jsonl' } as const;
    const action = { batchSize: 1, done: 'deleted', act: deletion.remove };
    if (deletion.chosen.size > 0) await actOnFile(kept, action);
  }
  return resultOf(deletion, keep);
}

/** The orders of a file that are to be deleted, and what becomes of them. Orders are named by their ids. */
function deletionFrom(table: RetryingTable, tell: (text: string) => void) {
  const deleted: string[] = [];
  /** Orders that are not as their lines say, or have changed since they were read. */
  const different: string[] = [];
  const notFound: string[] = [];
  /** The ids of orders that are not deleted yet, as the command names them, by their keys. */
  const chosen = new Map<string, string>();
  const choose = (lines: readonly OrderLine[]) => {
    for (const { key, order } of lines) chosen.set(key, order.id.N!);
  };
  const leave = (id: string, text: string) => {
    different.push(id);
    tell(text);
  };
  /** Chooses the orders that are as their lines say. Returns them whole, as lines of a file. */
  const compare = async (lines: readonly OrderLine[]) => {
    const orders = lines.map(({ order }) => order);
    const found = await getOrders(orders, table);
    const same = lines.filter(({ line, key, order }) => {
      const existing = found.get(key);
      if (!existing) notFound.push(order.id.N!);
      else if (differingNames(order, existing).length === 0) return true;
      else leave(order.id.N!, `line ${line}: ${differences(order, existing)}`);
      return false;
    });
    choose(same);
    return same.map(({ key }) => `${orderJson(found.get(key)!)}\n`).join('');
  };
  /** Deletes an order that still is as its line in the `--keep` file says. */
  const remove: FileAction['act'] = async ([line]) => {
    const { key, order } = line!;
    const id = chosen.get(key);
    if (id === undefined) return;
    const result = await writeOnce(order, table, () => deleteOrder(order, table));
    chosen.delete(key);
    if ('order' in result) {
      deleted.push(id);
      // No condition can say that there is no other attribute.
      if (isSame(result.order, newOrder(order))) return;
      const json = orderJson(result.order);
      leave(id, `order ${id} had other attributes when it was deleted: ${json}`);
    } else if (result.found) {
      leave(id, `order ${id} has changed since it was read, and is not deleted`);
    } else notFound.push(id);
  };
  return { deleted, different, notFound, chosen, choose, compare, remove };
}

function resultOf(
  { deleted, different, notFound, chosen }: ReturnType<typeof deletionFrom>,
  keep: string | undefined,
): Result {
  const left = [...chosen.values()];
  const lists: Record<string, string[]> = keep ? { deleted, notKept: left } : { wouldDelete: left };
  const result = {
    json: idsJson({ kept: keep ?? null }, { ...lists, different, notFound }),
    text:
      `${keep ? 'Deleted' : 'Would delete'} ${counted((keep ? deleted : left).length, 'order')}; ` +
      `${grouped(different.length)} different, ${grouped(notFound.length)} not found.`,
  };
  if (different.length === 0 && (!keep || left.length === 0)) return result;
  const problem =
    different.length > 0
      ? `${counted(different.length, 'order')} not as the lines say or were read`
      : `${counted(left.length, 'order')} not in ${keep}, which existed`;
  const remedy = different.length > 0 ? 'look at the lines above' : 'give --keep a new name';
  return { ...result, failure: new DifferentError(problem, { remedy }) };
}

const deleteHelp = `
A file has ids, one on each line, or orders as JSON Lines or CSV. An order is deleted only if it has all values of
its line, and has not changed since it was read. First, --keep writes all of these orders to a file as JSON Lines,
which "./admin orders import" brings back. If the command is interrupted, run it again with the same file.`;
