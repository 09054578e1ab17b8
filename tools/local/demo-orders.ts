import { setTimeout as wait } from 'node:timers/promises';
import { ScanCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { counted } from '../admin/console/view.ts';
import { actOnOrders } from '../admin/orders/act-on-orders.ts';
import { importOrder } from '../admin/orders/import-command.ts';
import { orderOfLine } from '../admin/orders/order-json.ts';
import type { OrderItem } from '../admin/orders/order-record.ts';
import { readOrders } from '../admin/orders/orders-file.ts';
import type { OrdersTable } from '../admin/stage/stage-connection.ts';
import { OperatorError } from '../shared/errors.ts';
import { printable } from '../shared/printable.ts';
import { sampleOrders } from './sample-orders.ts';

// The scan for a pending order stops after this number of orders. In most stores, one of them is pending.
const readAtMost = 100;
// DynamoDB's limit for one transaction.
const transactionMaxItems = 100;

/** Adds the orders of a file, or none if a line is not an order. It can be repeated. @throws OperatorError */
export async function loadFile(
  file: string,
  table: OrdersTable,
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<void> {
  const tell = (text: string) => log(printable(`${file}: ${text}`));
  try {
    const retrying = { ...table, wait };
    const orders = await readOrders({ path: file, signal, tell }, orderOfLine);
    const act = ({ order }: { order: OrderItem }) => importOrder(order, retrying);
    const { listed } = await actOnOrders(orders.lines(), { act, signal });
    if (listed.length > 0)
      tell(`${counted(listed.length, 'order')} not changed: the table has other values`);
  } catch (cause) {
    signal.throwIfAborted();
    if (!(cause instanceof OperatorError)) throw cause;
    // Without the remedy, which can name options of `./admin orders import`.
    throw new OperatorError(`--orders ${cause.problem}`, { cause });
  }
}

/** Fills an empty table with the sample. Orders of an earlier run, or of somebody else, are kept. */
export async function loadSample({ dynamodb, tableName }: OrdersTable): Promise<void> {
  const { Count } = await dynamodb.send(new ScanCommand({ TableName: tableName, Limit: 1 }));
  if (Count !== 0) return;
  const puts = sampleOrders().map((Item) => ({ Put: { TableName: tableName, Item } }));
  // The embedded DynamoDB syncs its file once per transaction, so this is faster than single puts.
  for (let start = 0; start < puts.length; start += transactionMaxItems) {
    const TransactItems = puts.slice(start, start + transactionMaxItems);
    await dynamodb.send(new TransactWriteItemsCommand({ TransactItems }));
  }
}

/** The id of an order, if possible of a pending order; undefined if there are no orders. */
export async function exampleOrderId(table: OrdersTable): Promise<string | undefined> {
  const scan = new ScanCommand({ TableName: table.tableName, Limit: readAtMost });
  const { Items: orders = [] } = await table.dynamodb.send(scan);
  const example = orders.find(({ status }) => status?.S === 'pending') ?? orders[0];
  return example?.id?.N;
}
