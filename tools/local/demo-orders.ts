import { ScanCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { counted } from '../admin/console/view.ts';
import { actOnOrders } from '../admin/orders/act-on-orders.ts';
import { importOrder } from '../admin/orders/import-command.ts';
import { orderOfLine } from '../admin/orders/order-json.ts';
import { newOrder, type OrderItem } from '../admin/orders/order-record.ts';
import { type OrderLine, readOrders } from '../admin/orders/orders-file.ts';
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
    const orders = await readOrders({ path: file, signal, tell }, orderOfLine);
    const act = ({ order }: OrderLine) => importOrder(order, table);
    let kept = 0;
    for (const lines of chunksOf(orders.lines())) {
      signal.throwIfAborted();
      const isInserted = await insertTogether(
        lines.map(({ order }) => newOrder(order)),
        table,
      );
      if (!isInserted) kept += (await actOnOrders(lines, { act, signal })).listed.length;
    }
    if (kept > 0) tell(`${counted(kept, 'order')} not changed: the table has other values`);
  } catch (cause) {
    signal.throwIfAborted();
    if (!(cause instanceof OperatorError)) throw cause;
    // Without the remedy, which can name options of `./admin orders import`.
    throw new OperatorError(`--orders ${cause.problem}`, { cause });
  }
}

/** Fills an empty table with the sample. Orders of an earlier run, or of somebody else, are kept. */
export async function loadSample(table: OrdersTable): Promise<void> {
  const scan = new ScanCommand({ TableName: table.tableName, Limit: 1 });
  if ((await table.dynamodb.send(scan)).Count !== 0) return;
  for (const orders of chunksOf(sampleOrders())) await insertTogether(orders, table);
}

/**
 * Inserts orders in one transaction, which takes a fraction of the time of single puts. Returns false, without a
 * change, if one of them exists or is not accepted.
 */
async function insertTogether(
  orders: readonly OrderItem[],
  { dynamodb, tableName }: OrdersTable,
): Promise<boolean> {
  const TransactItems = orders.map((Item) => ({
    Put: { TableName: tableName, Item, ConditionExpression: 'attribute_not_exists(id)' },
  }));
  try {
    await dynamodb.send(new TransactWriteItemsCommand({ TransactItems }));
    return true;
  } catch (error) {
    const { name } = error as Error;
    if (name === 'TransactionCanceledException' || name === 'ValidationException') return false;
    throw error;
  }
}

function* chunksOf<T>(items: Iterable<T>): Iterable<T[]> {
  let chunk: T[] = [];
  for (const item of items) {
    if (chunk.push(item) < transactionMaxItems) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** The id of an order, if possible of a pending order; undefined if there are no orders. */
export async function exampleOrderId(table: OrdersTable): Promise<string | undefined> {
  const scan = new ScanCommand({ TableName: table.tableName, Limit: readAtMost });
  const { Items: orders = [] } = await table.dynamodb.send(scan);
  const example = orders.find(({ status }) => status?.S === 'pending') ?? orders[0];
  return example?.id?.N;
}
