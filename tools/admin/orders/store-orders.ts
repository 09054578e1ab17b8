import { isDeepStrictEqual } from 'node:util';
import { BatchExecuteStatementCommand, BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { orderFieldNames } from '../../../lambdas/shared/order-fields.ts';
import { isFinal } from '../../../lambdas/shared/order-states.ts';
import { OperatorError, quoted } from '../../shared/errors.ts';
import { change } from '../stage/dynamodb-calls.ts';
import { failureOf, failureText, UnconfirmedError } from '../stage/service-failure.ts';
import { type FileField, fileFields, newOrder, type OrderItem } from './order-record.ts';
import type { OrdersTable, StoredOrder } from './orders-table.ts';

/** A table of orders, and a function that waits between attempts. */
export interface RetryingTable extends OrdersTable {
  readonly wait: (ms: number) => Promise<void>;
}

export interface StoreOptions {
  /** Whether an existing order with other values takes those of the line. */
  readonly replace?: boolean;
  /** Whether to write nothing, and return the outcomes that writing would have. */
  readonly dryRun?: boolean;
}

/**
 * The outcome for an order. `alreadyThere`: it exists with the same values. `different`: it exists with other
 * values, and was not changed.
 */
export type StoreOutcome = 'inserted' | 'alreadyThere' | 'replaced' | 'different';

interface StoredLine {
  readonly outcome: StoreOutcome;
  /** How the stored order differs from the line, and why it was not changed. */
  readonly note?: string;
}

/** DynamoDB's limit for one BatchExecuteStatement. */
export const insertBatchSize = 25;

const firstPauseMs = 50;
const longestPauseMs = 10_000;
const maxAttemptsWithoutProgress = 12;

/**
 * Stores up to 25 orders with different ids. An existing order may have been cancelled since it was imported,
 * so it changes only with `replace`, and only if nobody changes it meanwhile.
 *
 * @returns one outcome per order, as the parameter lists them
 * @throws OperatorError if DynamoDB refuses an order, or throttles for longer than about a minute
 */
export async function storeOrders(
  orders: readonly OrderItem[],
  table: RetryingTable,
  options: StoreOptions = {},
): Promise<StoredLine[]> {
  const { dryRun } = options;
  const duplicates = dryRun ? orders : await insertOrders(orders, table);
  const found = await getOrders(duplicates, table);
  if (!dryRun && found.size < duplicates.length) throw new UnconfirmedError('BatchGetItem');
  const lines: StoredLine[] = [];
  for (const order of orders) {
    const stored = found.get(String(order.id));
    if (!stored) lines.push({ outcome: 'inserted' });
    else lines.push(await replaceOrder(order, stored, table, options));
  }
  return lines;
}

/** Gives a stored order the values of the line, if the options and its state allow it. */
async function replaceOrder(
  order: OrderItem,
  stored: StoredOrder,
  table: RetryingTable,
  { replace, dryRun }: StoreOptions,
): Promise<StoredLine> {
  const fields = differingFields(order, stored);
  if (fields.length === 0) return { outcome: 'alreadyThere' };
  const differences = fields.map(
    (field) =>
      `${field} ${quoted(stored[field] ?? null)} instead of ${quoted(order[field] ?? null)}`,
  );
  const note = `order ${order.id} is in the table with ${differences.join(', ')}`;
  if (!replace) return { outcome: 'different', note };
  if (isFinal(stored.status) && order.status !== stored.status) {
    return { outcome: 'different', note: `${note}; a ${stored.status} order keeps its state` };
  }
  if (dryRun || (await overwrite(order, stored, table))) return { outcome: 'replaced', note };
  return { outcome: 'different', note: `order ${order.id} has changed since it was read` };
}

/**
 * Inserts orders, and returns those that exist, without changing them.
 *
 * The puts of BatchWriteItem cannot be conditional. A PartiQL INSERT of an existing order fails with
 * `DuplicateItem` at the same price, so a call whose response was lost can be repeated.
 */
async function insertOrders(
  orders: readonly OrderItem[],
  table: RetryingTable,
): Promise<OrderItem[]> {
  const duplicates: OrderItem[] = [];
  await repeat(orders, table, async (open) => {
    const Statements = open.map((order) => insertStatement(newOrder(order), table.tableName));
    const { Responses: responses = [] } = await table.dynamodb.send(
      new BatchExecuteStatementCommand({ Statements }),
    );
    if (responses.length !== open.length) throw new UnconfirmedError('BatchExecuteStatement');
    let reason: Error | undefined;
    const left = open.filter((order, index) => {
      const error = responses[index]!.Error;
      if (!error) return false;
      if (error.Code === 'DuplicateItem') {
        duplicates.push(order);
        return false;
      }
      reason = Object.assign(new Error(error.Message), { name: error.Code });
      if (isTemporary(reason)) return true;
      const { name, message } = reason;
      throw new OperatorError(`order ${order.id}: DynamoDB refused it: ${name} ${message}`);
    });
    return { left, reason };
  });
  return duplicates;
}

function insertStatement(order: OrderItem, tableName: string) {
  const values = Object.keys(order).map((field) => `'${field}': ?`);
  const Statement = `INSERT INTO "${tableName}" VALUE {${values.join(', ')}}`;
  return { Statement, Parameters: Object.values(order) };
}

/** The fields in which a stored order differs from a line. Without a status, only the API's fields count. */
function differingFields(order: OrderItem, stored: StoredOrder): FileField[] {
  const compared = order.status === undefined ? orderFieldNames : fileFields;
  return compared.filter((field) => !isDeepStrictEqual(order[field], stored[field]));
}

/** Changes an order unless it has changed since it was read. Returns whether it has the line's values. */
async function overwrite(
  order: OrderItem,
  stored: StoredOrder,
  table: RetryingTable,
): Promise<boolean> {
  const fields = differingFields(order, stored);
  const present = fields.filter((field) => order[field] !== undefined);
  const valuesOf = (from: StoredOrder, names: readonly FileField[]) =>
    Object.fromEntries(names.map((name) => [name, from[name]]));
  const write = {
    table: table.tableName,
    key: { id: order.id },
    set: valuesOf(order, present),
    remove: fields.filter((field) => !present.includes(field)),
    where: valuesOf(stored, fileFields),
  };
  let isDone = false;
  await repeat([order], table, async () => {
    isDone = (await change(write, { documents: table.dynamodb })) !== undefined;
    return { left: [] };
  });
  // If the response to a successful write was lost, the write is repeated and its condition fails.
  const now = isDone ? order : (await getOrders([order], table)).get(String(order.id));
  return now !== undefined && differingFields(order, now).length === 0;
}

/** Reads the orders that exist, by their ids. */
async function getOrders(
  orders: readonly OrderItem[],
  table: RetryingTable,
): Promise<Map<string, StoredOrder>> {
  const { dynamodb, tableName } = table;
  const found = new Map<string, StoredOrder>();
  await repeat(orders, table, async (open) => {
    const Keys = open.map(({ id }) => ({ id }));
    const RequestItems = { [tableName]: { Keys, ConsistentRead: true } };
    const get = new BatchGetCommand({ RequestItems });
    const { Responses, UnprocessedKeys } = await dynamodb.send(get);
    const { Keys: unread = [] } = UnprocessedKeys?.[tableName] ?? {};
    const items = Responses?.[tableName];
    if (!items && unread.length === 0) throw new UnconfirmedError('BatchGetItem');
    for (const item of items ?? []) found.set(String(item.id), item);
    const left = open.filter(({ id }) => unread.some((key) => String(key.id) === String(id)));
    return { left, reason: new UnconfirmedError('BatchGetItem') };
  });
  return found;
}

/**
 * Calls DynamoDB for orders, and again for the remaining ones, with growing pauses.
 *
 * @param call returns the remaining orders, and the reason
 * @throws OperatorError after a number of attempts without progress
 */
async function repeat(
  orders: readonly OrderItem[],
  { wait }: RetryingTable,
  call: (open: readonly OrderItem[]) => Promise<{ left: OrderItem[]; reason?: Error | undefined }>,
): Promise<void> {
  let open = orders;
  for (let attempts = 0; open.length > 0; ) {
    const { left, reason } = await call(open).catch((error) => {
      if (!isTemporary(error)) throw error;
      return { left: open, reason: error };
    });
    attempts = left.length < open.length ? 0 : attempts + 1;
    if (attempts === maxAttemptsWithoutProgress) {
      const problem = `DynamoDB kept refusing or did not respond (${failureText(reason)})`;
      throw new OperatorError(problem, { cause: reason });
    }
    if (left.length > 0) await wait(pauseMs(attempts));
    open = left;
  }
}

// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchStatementError.html
const temporaryNames =
  /Throttl|ThroughputExceeded|RequestLimitExceeded|TransactionConflict|InternalServerError/;

/** Whether a repeated call may succeed. */
function isTemporary(error: unknown): boolean {
  const { name = '', $retryable, $metadata } = Object(error);
  if (temporaryNames.test(name) || $retryable || $metadata?.httpStatusCode >= 500) return true;
  const { kind } = failureOf(error) ?? {};
  return kind === 'noResponse' || kind === 'unconfirmed';
}

// Full jitter: batches that were throttled together are not repeated together.
function pauseMs(attempt: number): number {
  return Math.random() * Math.min(longestPauseMs, firstPauseMs * 2 ** attempt);
}
