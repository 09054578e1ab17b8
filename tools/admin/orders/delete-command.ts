import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import type { Item } from '../../../lambdas/contract/item.ts';
import { ChangedMeanwhileError, InvalidValueError } from '../../shared/errors.ts';
import { type CommandIo, print, printResult, type Result } from '../console/command-io.ts';
import { addVerb, type Call, yesOption } from '../console/verb.ts';
import type { OrdersTable } from '../stage/stage-connection.ts';
import { comparableNumber, isSame } from './attribute-json.ts';
import { showCommand } from './change-commands.ts';
import { orderJson, orderOfLine } from './order-json.ts';
import { differences, newOrder } from './order-record.ts';
import { type Outcome, runOverFile } from './orders-run.ts';
import { deleteOrder, findOrder, insertOrder, readOrder } from './stored-orders.ts';

/** Adds the command `orders delete`. */
export function addDeleteCommand(orders: Command, io: CommandIo): void {
  addVerb(orders, io, {
    usage: 'delete <idOrFile>',
    description: 'delete an order, or the orders of a file that was exported or imported',
    options: [yesOption],
    help: deleteHelp,
    isInterruptible: true,
    examples: ['orders delete 1001 --stage staging', 'orders delete wrong.jsonl --stage prod'],
    showCommand,
    run: (call, word) =>
      comparableNumber(word!) ? deleteOne(word!, call) : deleteFile(word!, call),
  });
}

const deleteHelp = `
If you give an id, the command prints the order before it deletes the order.
If you give a file, the command deletes an order only if "./admin orders import" of its line would have stored exactly
this order. So the file becomes the only copy of the deleted orders, and "./admin orders import" of the same file
restores them. If an order differs from its line, the command lists the order, and ends with exit code 4. If the
command is interrupted, run it again.`;

async function deleteOne(id: string, { stage, io, confirm }: Call): Promise<undefined> {
  const order = await findOrder(id, stage.orders);
  const json = orderJson(order);
  // If the order cannot be printed, it is not deleted.
  await printResult(io, {}, { text: json, json });
  await confirm(`delete order ${id}?`);
  const { name } = await deleteIfSame(order, stage.orders, (text) => print(io.stderr, text));
  if (name !== 'deleted') throw new ChangedMeanwhileError(`Order ${id}`);
  print(io.stderr, `Order ${id} is deleted.`);
}

async function deleteFile(path: string, call: Call): Promise<Result> {
  const isFile = (await stat(path).catch(() => undefined))?.isFile();
  if (!isFile) throw new InvalidValueError('file', path, 'a file, which becomes the only copy');
  return runOverFile(call, path, orderOfLine, {
    question: (orders) => `delete ${orders}? The only copy will be ${path}.`,
    act: ({ order }, tell) => deleteIfSame(newOrder(order), call.stage.orders, tell),
    words: { deleted: 'Deleted', notFound: 'not found', different: 'different from the file' },
    remedy: 'the listed orders are not deleted: export them again, or correct the file',
  });
}

/** Deletes an order that equals a copy. If it had more attributes when it was deleted, it is printed and put back. */
async function deleteIfSame(
  copy: Item,
  table: OrdersTable,
  tell: (text: string) => void,
): Promise<Outcome> {
  // No condition can require that an order has no further attribute, so the command reads the order first.
  const stored = await readOrder(copy.id!, table);
  if (!stored) return { name: 'notFound' };
  const names = new Set([...Object.keys(copy), ...Object.keys(stored)]);
  const note = differences(copy, stored, names);
  if (note) return different(note);
  const result = await deleteOrder(copy, table);
  if (!('order' in result)) {
    return result.found
      ? different('was changed by somebody else at the same time')
      : { name: 'notFound' };
  }
  if (isSame(result.order, copy)) return { name: 'deleted' };
  const json = orderJson(result.order);
  tell(
    `order ${copy.id!.N} got more attributes just before it was deleted, and is put back: ${json}`,
  );
  const back = await insertOrder(result.order, table);
  if ('order' in back) return different('got more attributes at the same time, and is put back');
  return different('is not put back, because somebody has created another order with its id');
}

const different = (note: string): Outcome => ({ name: 'different', note });
