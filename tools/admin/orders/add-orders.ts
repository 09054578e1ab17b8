import { isDeepStrictEqual } from 'node:util';
import { BatchExecuteStatementCommand, BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { orderFieldNames } from '../../../lambdas/domain/order-fields.ts';
import { OperatorError, quoted } from '../../shared/errors.ts';
import { change, present, unchanged } from '../stage/dynamodb-calls.ts';
import type { OrdersTable } from '../stage/orders-table.ts';
import { failureOf, failureText, mayBeDone, UnconfirmedError } from '../stage/service-failure.ts';
import type { StoredOrder } from './find-order.ts';
import { type FileField, fileFields, newOrder, type OrderItem } from './order-record.ts';

/** A table of orders, and a function that waits between attempts. */
export interface RetryingTable extends OrdersTable {
  readonly wait: (ms: number) => Promise<void>;
}

export interface AddOptions {
  /** Whether an existing order takes the values of updatable fields from its line. */
  readonly update?: boolean;
  /** Whether to write nothing, and return the outcomes that writing would have. */
  readonly dryRun?: boolean;
}

/**
 * An outcome for an order. `alreadyThere`: the table had all values of its line. `different`: it differs from
 * its line, even if some of its values were updated.
 */
export type Outcome = 'inserted' | 'alreadyThere' | 'updated' | 'different';

interface AddedLine {
  readonly outcomes: readonly Outcome[];
  /** How the order differs from the line. In a dry run, also what would be updated. */
  readonly note?: string;
}

/** DynamoDB's limit for one BatchExecuteStatement. */
export const insertBatchSize = 25;

const firstPauseMs = 50;
const longestPauseMs = 10_000;
const maxAttemptsWithoutProgress = 12;

/**
 * Inserts up to 25 orders with different ids. Orders that exist keep their state, because a client or an
 * operator may have changed it since they were inserted. What a line does not mention stays as it is, too.
 *
 * @returns one result per order, as the parameter lists them
 * @throws OperatorError if DynamoDB refuses an order, throttles for longer than about a minute, or does not
 *   respond to an update
 */
export async function addOrders(
  orders: readonly OrderItem[],
  table: RetryingTable,
  options: AddOptions = {},
): Promise<AddedLine[]> {
  const { dryRun } = options;
  const duplicates = dryRun ? orders : await insertOrders(orders, table);
  const found = await getOrders(duplicates, table);
  if (!dryRun && found.size < duplicates.length) throw new UnconfirmedError('BatchGetItem');
  const lines: AddedLine[] = [];
  for (const order of orders) {
    const existing = found.get(String(order.id));
    if (!existing) lines.push({ outcomes: ['inserted'] });
    else lines.push(await compareOrder(order, existing, table, options));
  }
  return lines;
}

/** Compares an existing order with its line, and updates it if the options say so. */
async function compareOrder(
  order: OrderItem,
  existing: StoredOrder,
  table: RetryingTable,
  { update, dryRun }: AddOptions,
): Promise<AddedLine> {
  const differing = differingFields(order, existing);
  if (differing.length === 0) return { outcomes: ['alreadyThere'] };
  const fields = differing.filter((field) => update && updatable.includes(field));
  const set = valuesOf(order, fields);
  const isUpdate = fields.length > 0;
  const now =
    isUpdate && !dryRun ? await updateOrder(existing, set, table) : { ...existing, ...set };
  if (!now) {
    return {
      outcomes: ['different'],
      note: `order ${order.id} has changed since it was read; import it again`,
    };
  }
  const isDifferent = differingFields(order, now).length > 0;
  const outcomes: Outcome[] = isUpdate ? ['updated'] : [];
  if (isDifferent) outcomes.push('different');
  if (!isDifferent && !dryRun) return { outcomes };
  return { outcomes, note: differences(order, dryRun ? existing : now) };
}

/** The fields that a line can change in an existing order. `complete` follows from its state. */
export const updatable: readonly FileField[] = orderFieldNames.filter(
  (field) => field !== 'id' && field !== 'complete',
);

/** The fields of a line whose values an existing order does not have. */
function differingFields(order: OrderItem, existing: StoredOrder): FileField[] {
  return fileFields.filter(
    (field) => order[field] !== undefined && !isDeepStrictEqual(order[field], existing[field]),
  );
}

/** Describes how an existing order differs from its line. */
function differences(order: OrderItem, existing: StoredOrder): string {
  const texts = differingFields(order, existing).map((field) => {
    if (field === 'status') {
      return `is ${existing.status ?? 'without a status'}, the line says ${order.status}`;
    }
    const value = existing[field];
    const stored = value === undefined ? `no ${field}` : `${field} ${quoted(value)}`;
    return `has ${stored}, the line says ${quoted(order[field])}`;
  });
  return `order ${order.id} ${texts.join('; ')}`;
}

function valuesOf(order: StoredOrder, fields: readonly string[]): Partial<OrderItem> {
  return Object.fromEntries(fields.map((field) => [field, order[field]]));
}

/**
 * Sets values of an order unless they have changed since it was read. The write is sent again only if it was
 * throttled: after a lost response, somebody else may have changed the values.
 *
 * @returns the order after the change; undefined if its values have changed
 */
async function updateOrder(
  { id, ...existing }: StoredOrder,
  set: Partial<OrderItem>,
  table: RetryingTable,
): Promise<StoredOrder | undefined> {
  const asRead = Object.keys(set).map((field) => [field, unchanged(existing[field])]);
  const where = { id: present, ...Object.fromEntries(asRead) };
  let updated: StoredOrder | undefined;
  await repeat([id], table, async () => {
    updated = await change<StoredOrder>(
      { table: table.tableName, key: { id }, set, where },
      table,
    ).catch((error) => {
      if (!mayBeDone(error)) throw error;
      // This error is not temporary for `repeat`.
      const problem = `${failureText(error)}; "./admin orders show ${id}" shows whether it was`;
      throw new OperatorError(problem, { cause: error });
    });
    return { left: [] };
  });
  return updated;
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
    const { Responses: responses = [] } = await table.documents.send(
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

/** Reads the orders that exist, by their ids. */
async function getOrders(
  orders: readonly OrderItem[],
  table: RetryingTable,
): Promise<Map<string, StoredOrder>> {
  const { documents, tableName } = table;
  const found = new Map<string, StoredOrder>();
  await repeat(orders, table, async (open) => {
    const Keys = open.map(({ id }) => ({ id }));
    const RequestItems = { [tableName]: { Keys, ConsistentRead: true } };
    const get = new BatchGetCommand({ RequestItems });
    const { Responses, UnprocessedKeys } = await documents.send(get);
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
async function repeat<Order>(
  orders: readonly Order[],
  { wait }: RetryingTable,
  call: (open: readonly Order[]) => Promise<{ left: Order[]; reason?: Error | undefined }>,
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
    if (left.length > 0) {
      // Full jitter: batches that were throttled together are not repeated together.
      await wait(Math.random() * Math.min(longestPauseMs, firstPauseMs * 2 ** attempts));
    }
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
