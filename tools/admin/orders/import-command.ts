import { type Command, Option } from 'commander';
import type { Item } from '../../../lambdas/contract/item.ts';
import { orderFieldNames } from '../../../lambdas/orders/order-fields.ts';
import { orderStatuses } from '../../../lambdas/orders/order-states.ts';
import type { CommandIo, Result } from '../console/command-io.ts';
import { addVerb, type Call } from '../console/verb.ts';
import { unchanged } from '../stage/dynamodb-calls.ts';
import type { OrdersTable } from '../stage/stage-connection.ts';
import { isSame } from './attribute-json.ts';
import { orderOfLine } from './order-json.ts';
import { differences, isAccepted, newOrder, type OrderItem } from './order-record.ts';
import { type Outcome, runOverFile } from './orders-run.ts';
import { insertOrder, readOrder, updateOrder } from './stored-orders.ts';

interface ImportOptions {
  /** Whether an existing order takes the values of `updatable` fields from its line. */
  readonly update?: boolean;
  /** Whether to write nothing, and return the outcomes that writing would have. */
  readonly dryRun?: boolean;
}

/** The fields that a line can change in an existing order. */
const updatable: readonly string[] = orderFieldNames.filter(
  (field) => field !== 'id' && field !== 'complete',
);
const updatableFields = new Intl.ListFormat('en-GB').format(updatable);

/** Adds the command `orders import`. */
export function addImportCommand(orders: Command, io: CommandIo): void {
  addVerb<ImportOptions>(orders, io, {
    usage: 'import <file>',
    description: 'load orders from a file, or from standard input with -',
    options: [
      new Option('--update', `also change ${updatableFields} of existing orders`),
      new Option('--dry-run', 'only list what would change, and change nothing'),
    ],
    help: importHelp,
    isInterruptible: true,
    examples: [
      'orders import orders.jsonl --stage staging',
      'orders import orders.jsonl --stage prod --update --dry-run',
    ],
    run: importFile,
  });
}

const importHelp = `
The file has one order on each line, as "./admin orders export" writes it:
  {"id":9007199254740993,"petId":7,"quantity":2,"shipDate":"2026-11-20T09:30:00Z","complete":false,"status":"pending"}
Only id is required. The status is one of ${orderStatuses.join(', ')}. A new order without a status becomes shipped if
"complete" is true, and pending otherwise. Attributes of other programs are in DynamoDB's own JSON: "note":{"S":"text"}.

If a line is bad, the import loads nothing. The import never changes the state of an existing order. With --update, it
changes the fields ${updatableFields} to the values of the line. It changes "complete" only to the value
that the state of the order requires. If somebody else changes an order at the same time, the import does not change
this order. If an order still differs from its line, the import lists the order, and ends with exit code 4. If an import
is interrupted, run it again.`;

async function importFile(call: Call<ImportOptions>, path: string): Promise<Result> {
  const { stage, options } = call;
  const states = 'the commands ship, cancel and reopen change the state';
  return runOverFile(call, path, orderOfLine, {
    act: ({ order }) => importOrder(order, stage.orders, options),
    words: {
      inserted: options.dryRun ? 'Would import' : 'Imported',
      updated: options.dryRun ? 'to update' : 'updated',
      alreadyThere: 'already there',
      different: 'different from the file',
    },
    remedy: options.update ? states : `--update sets ${updatableFields}; ${states}`,
  });
}

/**
 * Inserts an order. An existing order keeps its state, because a client or an operator may have changed the state since
 * the order was inserted.
 */
export async function importOrder(
  line: OrderItem,
  table: OrdersTable,
  { update, dryRun }: ImportOptions = {},
): Promise<Outcome> {
  const existing = dryRun
    ? await readOrder(line.id, table)
    : await existingOrder(newOrder(line), table);
  if (!existing) return { name: 'inserted' };
  const note = differences(line, existing);
  if (!note) return { name: 'alreadyThere' };
  const names = Object.keys(line).filter((name) => update && isUpdatable(name, line, existing));
  if (names.length === 0) return { name: 'different', note };
  if (dryRun) return { name: 'updated', note };
  const set = Object.fromEntries(names.map((name) => [name, line[name]!]));
  const asRead = ['id', 'status', ...names].map((name) => [name, unchanged(existing[name])]);
  const result = await updateOrder(line, { set, where: Object.fromEntries(asRead) }, table);
  if (!('order' in result)) {
    const note = 'was changed by somebody else at the same time; import it again';
    return { name: 'different', note };
  }
  const left = differences(line, result.order);
  return left ? { name: 'different', note: `is updated, but ${left}` } : { name: 'updated' };
}

/** Inserts an order. If an order has this id, it stays as it is and is returned. */
async function existingOrder(order: OrderItem, table: OrdersTable): Promise<Item | undefined> {
  const result = await insertOrder(order, table);
  return 'order' in result ? undefined : result.found;
}

/** Whether an update changes a field. It changes `complete` only to the value that the state requires, as a repair. */
function isUpdatable(name: string, { [name]: wanted }: Item, existing: Item): boolean {
  if (!isAccepted(name, wanted) || isSame(wanted, existing[name])) return false;
  if (name === 'complete') return wanted!.BOOL === (existing.status?.S === 'shipped');
  return updatable.includes(name);
}
