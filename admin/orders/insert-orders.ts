import { isDeepStrictEqual } from 'node:util';
import type { BatchStatementResponse } from '@aws-sdk/client-dynamodb';
import { BatchExecuteStatementCommand, BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { OperatorError } from '../../shared/errors.ts';
import { failureOf, failureText } from '../stage/service-failure.ts';
import { fileFields, type OrderItem, type StoredOrder } from './order-record.ts';
import type { OrdersTable } from './orders-table.ts';

/** A table of orders, and how to wait for it. */
export interface PatientTable extends OrdersTable {
  /** Pauses before a retry; a test's own need not wait. */
  readonly wait: (ms: number) => Promise<void>;
}

/** What became of an order: `different` means that the table's order of this id has other values. */
export type InsertOutcome = 'inserted' | 'already there' | 'different';

/** DynamoDB's limit for one BatchExecuteStatement. */
export const insertBatchSize = 25;

const firstPauseMs = 50;
const longestPauseMs = 10_000;
const maxFruitlessAttempts = 12;
/** How many attempts one counts for that got no answer in time. */
const silentAttempt = 3;

/**
 * Inserts up to 25 orders of different ids in one round trip, and never touches an order that is
 * there already: it may have been cancelled since.
 *
 * That is why this is PartiQL's INSERT and not BatchWriteItem, whose puts cannot be conditional: it
 * costs the same write units, and each statement fails by itself with `DuplicateItem`. So a write
 * may be sent again whenever its answer was lost.
 *
 * @returns one outcome per order, in their order
 * @throws OperatorError when DynamoDB refuses, or throttles for longer than about a minute
 */
export async function insertOrders(
  orders: readonly OrderItem[],
  table: PatientTable,
): Promise<InsertOutcome[]> {
  const outcomes = new Map<OrderItem, InsertOutcome>();
  const duplicates: OrderItem[] = [];
  let open = orders;
  for (let fruitless = 0; open.length > 0; ) {
    const { responses, failure, isSilent, error } = await sendInserts(open, table);
    const again: OrderItem[] = [];
    for (const [index, order] of open.entries()) {
      const code = responses?.[index]?.Error?.Code ?? (responses ? undefined : 'unsent');
      if (code === undefined) outcomes.set(order, 'inserted');
      else if (code === 'DuplicateItem') duplicates.push(order);
      else again.push(order);
    }
    fruitless = again.length < open.length ? 0 : fruitless + (isSilent ? silentAttempt : 1);
    if (fruitless >= maxFruitlessAttempts) throw gaveUp(failure, error);
    if (again.length > 0) await table.wait(pauseMs(fruitless));
    open = again;
  }
  for (const [order, outcome] of await compareWithTable(duplicates, table)) {
    outcomes.set(order, outcome);
  }
  return orders.map((order) => outcomes.get(order)!);
}

interface Sent {
  /** One per order; absent when the whole request failed in a way worth repeating. */
  responses?: BatchStatementResponse[];
  failure?: string;
  /** Whether there was no answer at all, for which a time-out had to be waited out. */
  isSilent?: boolean;
  error?: unknown;
}

async function sendInserts(orders: readonly OrderItem[], table: PatientTable): Promise<Sent> {
  try {
    const Statements = orders.map((order) => insertStatement(order, table.tableName));
    const sent = await table.dynamodb.send(new BatchExecuteStatementCommand({ Statements }));
    const responses = sent.Responses ?? [];
    refuseFatal(orders, responses);
    return { responses, failure: responses.find((each) => each.Error)?.Error?.Message };
  } catch (error) {
    if (!isWorthRepeating(error)) throw error;
    return { failure: failureText(error), isSilent: isSilence(error), error };
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

function isSilence(error: unknown): boolean {
  return failureOf(error)?.kind === 'noAnswer';
}

const temporaryNames = /Throttl|ThroughputExceeded|RequestLimitExceeded|^TimeoutError$/;
// Not ECONNREFUSED: nothing is listening, and a wrong address should be told of at once.
const lostConnection = /^(ECONNRESET|EPIPE|ETIMEDOUT|EAI_AGAIN)$/;

function isWorthRepeating(error: unknown): boolean {
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

// The same few texts again and again: DynamoDB and this process need to build each only once.
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

/** `status` is left out: an order may have been shipped or cancelled since it was loaded. */
const comparedFields = fileFields.filter((field) => field !== 'status');

async function compareWithTable(
  orders: readonly OrderItem[],
  table: PatientTable,
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
  { dynamodb, tableName, wait }: PatientTable,
): Promise<Map<string, StoredOrder>> {
  const found = new Map<string, StoredOrder>();
  let Keys: StoredOrder[] = orders.map(({ id }) => ({ id }));
  for (let attempt = 0; Keys.length > 0; attempt++) {
    if (attempt === maxFruitlessAttempts) throw gaveUp('keys stay unprocessed');
    if (attempt > 0) await wait(pauseMs(attempt));
    const RequestItems = { [tableName]: { Keys, ConsistentRead: true } };
    const page = await patiently(() => dynamodb.send(new BatchGetCommand({ RequestItems })), wait);
    for (const item of page.Responses?.[tableName] ?? []) found.set(String(item.id), item);
    Keys = page.UnprocessedKeys?.[tableName]?.Keys ?? [];
  }
  return found;
}

/** Repeats a call that may be repeated, as long as its failure is one that passes. */
export async function patiently<T>(call: () => Promise<T>, wait: PatientTable['wait']): Promise<T> {
  for (let fruitless = 0; ; ) {
    try {
      return await call();
    } catch (error) {
      fruitless += isSilence(error) ? silentAttempt : 1;
      if (!isWorthRepeating(error) || fruitless >= maxFruitlessAttempts) throw error;
      await wait(pauseMs(fruitless));
    }
  }
}

// Exponential, with full jitter, so that batches that were throttled together do not return together.
function pauseMs(attempt: number): number {
  return Math.random() * Math.min(longestPauseMs, firstPauseMs * 2 ** attempt);
}

function gaveUp(failure = 'unknown', cause?: unknown): OperatorError {
  return new OperatorError(`DynamoDB kept refusing writes (${failure})`, {
    cause,
    remedy: 'run the same command again to go on, maybe with a lower --concurrency',
  });
}
