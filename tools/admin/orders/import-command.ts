import type { Command } from 'commander';
import { orderStatuses } from '../../../lambdas/orders/order-states.ts';
import type { CommandIo, Result } from '../console/command-io.ts';
import { addVerb, type Call } from '../console/verb.ts';
import type { OrdersTable } from '../stage/stage-connection.ts';
import { orderOfLine } from './order-json.ts';
import { differences, newOrder, type OrderItem } from './order-record.ts';
import { type Outcome, runOverFile } from './orders-run.ts';
import { insertOrder } from './stored-orders.ts';

/** Adds the command `orders import`. */
export function addImportCommand(orders: Command, io: CommandIo): void {
  addVerb(orders, io, {
    usage: 'import <file>',
    description: 'load orders from a file, or from standard input with -',
    help: importHelp,
    isInterruptible: true,
    examples: ['orders import orders.jsonl --stage staging'],
    run: importFile,
  });
}

const importHelp = `
The file has one order on each line:
  {"id":9007199254740993,"petId":7,"quantity":2,"shipDate":"2026-11-20T09:30:00Z","complete":false,"status":"pending"}
Only id is required. The status is one of ${orderStatuses.join(', ')}. A new order without a status becomes shipped if
"complete" is true, and pending otherwise. Attributes of other programs are in DynamoDB's own JSON: "note":{"S":"text"}.

If a line is bad, the import loads nothing. The import never changes an existing order. If an existing order differs
from its line, the import lists the order, and ends with exit code 4. If an import is interrupted, run it again.`;

async function importFile(call: Call, path: string): Promise<Result> {
  return runOverFile(call, path, orderOfLine, {
    act: ({ order }) => importOrder(order, call.stage.orders),
    words: {
      inserted: 'Imported',
      alreadyThere: 'already there',
      different: 'different from the file',
    },
    remedy: 'the listed orders are as they were',
  });
}

/** Inserts an order. An existing order with the same id stays as it is. */
export async function importOrder(line: OrderItem, table: OrdersTable): Promise<Outcome> {
  const result = await insertOrder(newOrder(line), table);
  if ('order' in result || !result.found) return { name: 'inserted' };
  const note = differences(line, result.found);
  return note ? { name: 'different', note } : { name: 'alreadyThere' };
}
