import { isDeepStrictEqual } from 'node:util';
import { BatchExecuteStatementCommand, BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { orderFieldNames } from '../../../lambdas/shared/order-fields.ts';
import { OperatorError } from '../../shared/errors.ts';
import { failureOf, failureText, UnconfirmedError } from '../stage/service-failure.ts';
import type { OrderItem } from './order-record.ts';
import type { OrdersTable, StoredOrder } from './orders-table.ts';

/** A table of orders, and the function that waits between attempts. */
export interface RetryingTable extends OrdersTable {
  readonly wait: (ms: number) => Promise<void>;
}

/**
 * The outcome for an order: `alreadyThere` means that the table has it with the same values, and
 * `different`, with others, which were not changed.
 */
export type InsertOutcome = 'inserted' | 'alreadyThere' | 'different';

/** DynamoDB's limit for one BatchExecuteStatement. */
export const insertBatchSize = 25;

const firstPauseMs = 50;
const longestPauseMs = 10_000;
const maxAttemptsWithoutProgress = 12;

/**
 * Inserts up to 25 orders with different ids in one call. An order that exists is never changed,
 * because it may have been cancelled since it was imported.
 *
 * For this reason it uses PartiQL's INSERT: the puts of BatchWriteItem cannot be conditional, while
 * each INSERT of an existing order fails on its own with `DuplicateItem`, at the same price. A call
 * whose response was lost can therefore be repeated.
 *
 * @returns one outcome per order, in the order of the parameter
 * @throws OperatorError when DynamoDB refuses an order, or throttles for longer than about a minute
 */
export async function insertOrders(
  orders: readonly OrderItem[],
  table: RetryingTable,
): Promise<InsertOutcome[]> {
  const outcomes = new Map<OrderItem, InsertOutcome>();
  const duplicates: OrderItem[] = [];
  await repeat(orders, table, async (open) => {
    const Statements = open.map((order) => insertStatement(order, table.tableName));
    const { Responses: responses = [] } = await table.dynamodb.send(
      new BatchExecuteStatementCommand({ Statements }),
    );
    if (responses.length !== open.length) throw new UnconfirmedError('BatchExecuteStatement');
    let reason: Error | undefined;
    const left = open.filter((order, index) => {
      const error = responses[index]!.Error;
      if (!error) outcomes.set(order, 'inserted');
      else if (error.Code === 'DuplicateItem') duplicates.push(order);
      else {
        reason = Object.assign(new Error(error.Message), { name: error.Code });
        if (!isTemporary(reason)) throw refused(order, reason);
        return true;
      }
      return false;
    });
    return { left, reason };
  });
  const stored = await getOrders(duplicates, table);
  for (const order of duplicates) {
    outcomes.set(
      order,
      isSame(order, stored.get(String(order.id))!) ? 'alreadyThere' : 'different',
    );
  }
  return orders.map((order) => outcomes.get(order)!);
}

function refused({ id }: OrderItem, { name, message }: Error): OperatorError {
  return new OperatorError(`order ${id}: DynamoDB refused it: ${name} ${message}`);
}

function insertStatement(order: OrderItem, tableName: string) {
  const values = Object.keys(order).map((field) => `'${field}': ?`);
  const Statement = `INSERT INTO "${tableName}" VALUE {${values.join(', ')}}`;
  return { Statement, Parameters: Object.values(order) };
}

/** Compares the fields of the API, because the others change when an order is shipped or cancelled. */
function isSame(order: OrderItem, stored: StoredOrder): boolean {
  return orderFieldNames.every((field) => isDeepStrictEqual(order[field], stored[field]));
}

async function getOrders(
  orders: readonly OrderItem[],
  table: RetryingTable,
): Promise<Map<string, StoredOrder>> {
  const { dynamodb, tableName } = table;
  const found = new Map<string, StoredOrder>();
  await repeat(orders, table, async (open) => {
    const Keys = open.map(({ id }) => ({ id }));
    const RequestItems = { [tableName]: { Keys, ConsistentRead: true } };
    const { Responses } = await dynamodb.send(new BatchGetCommand({ RequestItems }));
    for (const item of Responses?.[tableName] ?? []) found.set(String(item.id), item);
    const left = open.filter(({ id }) => !found.has(String(id)));
    return { left, reason: new UnconfirmedError('BatchGetItem') };
  });
  return found;
}

/**
 * Calls DynamoDB for some orders, and again for those that are left, with growing pauses.
 *
 * @param call returns the orders that are left, and the reason
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
    if (attempts === maxAttemptsWithoutProgress) throw retriesExhausted(reason);
    if (left.length > 0) await wait(pauseMs(attempts));
    open = left;
  }
}

// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchStatementError.html
const temporaryNames =
  /Throttl|ThroughputExceeded|RequestLimitExceeded|TransactionConflict|InternalServerError/;

/** Whether a repeated call may succeed. A refused connection usually means a wrong address. */
function isTemporary(error: unknown): boolean {
  const { name = '', $retryable, $metadata } = Object(error);
  if (temporaryNames.test(name) || $retryable || $metadata?.httpStatusCode >= 500) return true;
  const { kind } = failureOf(error) ?? {};
  return kind === 'noAnswer' || kind === 'unconfirmed';
}

// The full jitter prevents batches that were throttled together from being repeated together.
function pauseMs(attempt: number): number {
  return Math.random() * Math.min(longestPauseMs, firstPauseMs * 2 ** attempt);
}

function retriesExhausted(cause: unknown): OperatorError {
  return new OperatorError(`DynamoDB kept refusing or not answering (${failureText(cause)})`, {
    cause,
  });
}
