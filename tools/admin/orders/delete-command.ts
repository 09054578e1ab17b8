import { existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { type Command, Option } from 'commander';
import { ChangedMeanwhileError, DifferentError, UsageError } from '../../shared/errors.ts';
import type { CommandIo, Result } from '../console/command-io.ts';
import { orderProgress } from '../console/progress.ts';
import { addVerb, type Call, yesOption } from '../console/verb.ts';
import { counted, grouped } from '../console/view.ts';
import { comparableNumber } from './attribute-json.ts';
import { showCommand } from './change-one.ts';
import { Deletion } from './deletion.ts';
import { actOnFile, type FileAction, type FileRequest } from './file-run.ts';
import { idsJson, orderJson } from './order-json.ts';
import { formatOption, type OrdersFormat } from './orders-file.ts';
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
 * Deletes the orders that still are as their lines say. First it writes them whole to a file, which appears when it
 * is complete. Then it deletes each that still is as that file says. So every deleted order is in the file. If the
 * file exists, an earlier run has written it, and this one completes the deletion.
 */
async function deleteMany(
  words: string[],
  areIds: boolean,
  { stage, options, io, confirm }: Call<DeleteOptions>,
): Promise<Result> {
  const keep = options.dryRun ? undefined : options.keep;
  const path = areIds ? '-' : words[0]!;
  const stdin = areIds ? Readable.from([words.join('\n')]) : io.stdin;
  const progress = orderProgress(io, path);
  const deletion = new Deletion({ ...stage.orders, wait: io.wait }, progress.tell);
  const act = (request: FileRequest, action: FileAction) =>
    actOnFile(request, action, progress, io.interruption).finally(progress.clear);
  const read = (use: FileAction['act']) => {
    const onChecked = async (orders: number) =>
      keep && confirm(`delete ${counted(orders, 'order')}, and keep them in ${keep}?`);
    const lines = { canBeId: true };
    const action = { lines, batchSize: 100, done: 'compared', onChecked, act: use };
    return act({ path, stdin, format: options.format }, action);
  };
  if (keep === undefined) await read((batch) => deletion.compare(batch));
  else {
    await refuseUnlessFile('--keep', keep);
    if (existsSync(keep)) await read(async (batch) => deletion.choose(batch));
    else {
      await writeWhole(keep, (append) =>
        read(async (batch) => append(await deletion.compare(batch))),
      );
    }
    const remove: FileAction['act'] = ([line]) => deletion.remove(line!);
    const action = { batchSize: 1, done: 'deleted', act: remove };
    if (deletion.chosen.size > 0) await act({ path: keep, format: 'jsonl' }, action);
  }
  return resultOf(deletion, keep);
}

function resultOf(
  { deleted, different, notFound, chosen }: Deletion,
  keep: string | undefined,
): Result {
  const left = [...chosen.values()];
  const others = { different, notFound };
  const result = {
    json: keep
      ? idsJson({ kept: keep }, { deleted, notKept: left, ...others })
      : idsJson({ kept: null }, { wouldDelete: left, ...others }),
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
