import { isDeepStrictEqual } from 'node:util';
import type { BatchStatementResponse } from '@aws-sdk/client-dynamodb';
import { BatchExecuteStatementCommand, BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { OperatorError } from '../../shared/errors.ts';
import { failureOf, failureText } from '../stage/service-failure.ts';
import { fileFields, type OrderItem, type StoredOrder } from './order-record.ts';
import type { OrdersTable } from './orders-table.ts';

/** A table of orders, with the function that waits between attempts. */
export interface RetryingTable extends OrdersTable {
  /** Waits before a retry. */
  readonly wait: (ms: number) => Promise<void>;
}

/** The outcome for an order; `different` means that the table has one of this id with other values. */
export type InsertOutcome = 'inserted' | 'already there' | 'different';

/** DynamoDB's limit for one BatchExecuteStatement. */
export const insertBatchSize = 25;

const firstPauseMs = 50;
const longestPauseMs = 10_000;
const maxAttemptsWithoutProgress = 12;
/** A timeout counts as this number of attempts, because it has already taken so long. */
const attemptsPerTimeout = 3;

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
  let open = orders;
  for (let attempts = 0; open.length > 0; ) {
    const { responses, failure, isTimeout, error } = await sendInserts(open, table);
    const again: OrderItem[] = [];
    for (const [index, order] of open.entries()) {
      const code = responses?.[index]?.Error?.Code ?? (responses ? undefined : 'unsent');
      if (code === undefined) outcomes.set(order, 'inserted');
      else if (code === 'DuplicateItem') duplicates.push(order);
      else again.push(order);
    }
    attempts = again.length < open.length ? 0 : attempts + (isTimeout ? attemptsPerTimeout : 1);
    if (attempts >= maxAttemptsWithoutProgress) throw retriesExhausted(failure, error);
    if (again.length > 0) await table.wait(pauseMs(attempts));
    open = again;
  }
  for (const [order, outcome] of await compareWithTable(duplicates, table)) {
    outcomes.set(order, outcome);
  }
  return orders.map((order) => outcomes.get(order)!);
}

interface Sent {
  /** One response per order; absent when the whole call failed and can be repeated. */
  responses?: BatchStatementResponse[];
  failure?: string;
  /** Whether the call has timed out. */
  isTimeout?: boolean;
  error?: unknown;
}

async function sendInserts(orders: readonly OrderItem[], table: RetryingTable): Promise<Sent> {
  try {
    const Statements = orders.map((order) => insertStatement(order, table.tableName));
    const sent = await table.dynamodb.send(new BatchExecuteStatementCommand({ Statements }));
    const responses = sent.Responses ?? [];
    refuseFatal(orders, responses);
    return { responses, failure: responses.find((each) => each.Error)?.Error?.Message };
  } catch (error) {
    if (!isRetryable(error)) throw error;
    return { failure: failureText(error), isTimeout: isTimeout(error), error };
  }
}

const repeatableCodes = [
  'DuplicateItem',
  'RequestLimitExceeded',
  'ProvisionedThroughputExceeded',
  'TransactionConflict',
  'ThrottlingError',
  'InternalServerError',
];

function refuseFatal(orders: readonly OrderItem[], responses: BatchStatementResponse[]): void {
  const index = responses.findIndex(
    ({ Error: error }) => error && !repeatableCodes.includes(error.Code ?? ''),
  );
  if (index === -1) return;
  const { Code, Message } = responses[index]!.Error!;
  throw new OperatorError(`order ${orders[index]!.id}: DynamoDB refused it: ${Code} ${Message}`);
}

function isTimeout(error: unknown): boolean {
  return failureOf(error)?.kind === 'noAnswer';
}

const temporaryNames = /Throttl|ThroughputExceeded|RequestLimitExceeded|^TimeoutError$/;
// ECONNREFUSED is not repeated, because it usually means a wrong address.
const lostConnection = /^(ECONNRESET|EPIPE|ETIMEDOUT|EAI_AGAIN)$/;

function isRetryable(error: unknown): boolean {
  const {
    name = '',
    code,
    $retryable,
    $metadata,
  } = error as {
    name?: string;
    code?: unknown;
    $retryable?: object;
    $metadata?: { httpStatusCode?: number };
  };
  if (temporaryNames.test(name) || lostConnection.test(String(code))) return true;
  return $retryable !== undefined || ($metadata?.httpStatusCode ?? 0) >= 500;
}

const statements = new Map<string, string>();

// Orders have few combinations of fields, so each statement's text is built once and reused.
function insertStatement(order: OrderItem, tableName: string) {
  const fields = Object.keys(order);
  const key = `${tableName} ${fields.join()}`;
  let Statement = statements.get(key);
  if (Statement === undefined) {
    const values = fields.map((field) => `'${field}': ?`).join(', ');
    Statement = `INSERT INTO "${tableName}" VALUE {${values}}`;
    statements.set(key, Statement);
  }
  return { Statement, Parameters: Object.values(order) };
}

/** The status is not compared, because an order may have been shipped or cancelled meanwhile. */
const comparedFields = fileFields.filter((field) => field !== 'status');

async function compareWithTable(
  orders: readonly OrderItem[],
  table: RetryingTable,
): Promise<Map<OrderItem, InsertOutcome>> {
  const stored = await getOrders(orders, table);
  return new Map(
    orders.map((order) => {
      const other = stored.get(String(order.id)) ?? {};
      const isSame = comparedFields.every((field) => isDeepStrictEqual(order[field], other[field]));
      return [order, isSame ? 'already there' : 'different'];
    }),
  );
}

async function getOrders(
  orders: readonly OrderItem[],
  { dynamodb, tableName, wait }: RetryingTable,
): Promise<Map<string, StoredOrder>> {
  const found = new Map<string, StoredOrder>();
  let Keys: StoredOrder[] = orders.map(({ id }) => ({ id }));
  for (let attempt = 0; Keys.length > 0; attempt++) {
    if (attempt === maxAttemptsWithoutProgress) throw retriesExhausted('keys stay unprocessed');
    if (attempt > 0) await wait(pauseMs(attempt));
    const RequestItems = { [tableName]: { Keys, ConsistentRead: true } };
    const page = await withRetries(
      () => dynamodb.send(new BatchGetCommand({ RequestItems })),
      wait,
    );
    for (const item of page.Responses?.[tableName] ?? []) found.set(String(item.id), item);
    Keys = page.UnprocessedKeys?.[tableName]?.Keys ?? [];
  }
  return found;
}

/** Repeats an idempotent call while its failures are temporary, up to a number of attempts. */
export async function withRetries<T>(
  call: () => Promise<T>,
  wait: RetryingTable['wait'],
): Promise<T> {
  for (let attempts = 0; ; ) {
    try {
      return await call();
    } catch (error) {
      attempts += isTimeout(error) ? attemptsPerTimeout : 1;
      if (!isRetryable(error) || attempts >= maxAttemptsWithoutProgress) throw error;
      await wait(pauseMs(attempts));
    }
  }
}

// The full jitter prevents batches that were throttled together from being repeated together.
function pauseMs(attempt: number): number {
  return Math.random() * Math.min(longestPauseMs, firstPauseMs * 2 ** attempt);
}

function retriesExhausted(failure = 'unknown', cause?: unknown): OperatorError {
  return new OperatorError(`DynamoDB kept refusing writes (${failure})`, {
    cause,
    remedy: 'run the same command again to go on, maybe with a lower --concurrency',
  });
}
