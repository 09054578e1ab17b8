import {
  BatchExecuteStatementCommand,
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../lambdas/domain/item.ts';
import { orderFieldNames } from '../../../lambdas/domain/order-fields.ts';
import { OperatorError } from '../../shared/errors.ts';
import { present, unchanged } from '../stage/dynamodb-calls.ts';
import { mayHaveTakenEffect, UnconfirmedError } from '../stage/service-failure.ts';
import { comparableNumber, isSame } from './attribute-json.ts';
import { stateOf } from './change-order.ts';
import { actOnFile } from './file-run.ts';
import { type FileField, isAccepted, newOrder, type OrderItem, shown } from './order-record.ts';
import type { OrdersFile } from './orders-file.ts';
import { isThrottled, type RetryingTable, repeat, writeOnce } from './repeated-calls.ts';
import { updateOrder } from './stored-orders.ts';

interface AddOptions {
  /** Whether an existing order takes the values of `updatable` fields from its line. */
  readonly update?: boolean;
  /** Whether to write nothing, and return the outcomes that writing would have. */
  readonly dryRun?: boolean;
}

export interface ImportRequest extends OrdersFile, AddOptions {
  /** Called with the line and the differences of an existing order. */
  onDifference?(text: string): void;
}

/** `alreadyThere`: it had all values of its line. `different`: it differs, even if some values were updated. */
type Outcome = 'inserted' | 'alreadyThere' | 'updated' | 'different';

interface AddedLine {
  readonly outcomes: readonly Outcome[];
  /** How the order differs from the line. In a dry run, also what would be updated. */
  readonly note?: string;
}

/** Imports the orders of a file, as `actOnFile` says. Returns the number of each outcome. */
export async function importOrders(request: ImportRequest, table: RetryingTable) {
  const counts = { inserted: 0, alreadyThere: 0, updated: 0, different: 0 };
  await actOnFile(request, {
    // DynamoDB's limit for one BatchExecuteStatement.
    batchSize: 25,
    done: request.dryRun ? 'compared' : 'loaded',
    act: async (batch) => {
      const orders = batch.map(({ order }) => order);
      for (const [index, added] of (await addOrders(orders, table, request)).entries()) {
        for (const outcome of added.outcomes) counts[outcome]++;
        if (added.note) request.onDifference?.(`line ${batch[index]!.line}: ${added.note}`);
      }
    },
  });
  return counts;
}

/**
 * Inserts up to 25 orders with different ids, and returns a result for each, in the same sequence. Orders that
 * exist keep their state, because a client or an operator may have changed it since they were inserted.
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
    const existing = found.get(comparableNumber(order.id.N!)!);
    if (!existing) lines.push({ outcomes: ['inserted'] });
    else lines.push(await compareOrder(order, existing, table, options));
  }
  return lines;
}

async function compareOrder(
  order: OrderItem,
  existing: Item,
  table: RetryingTable,
  { update, dryRun }: AddOptions,
): Promise<AddedLine> {
  const differing = differingNames(order, existing);
  if (differing.length === 0) return { outcomes: ['alreadyThere'] };
  const names = differing.filter((name) => update && isUpdatable(name, order, existing));
  const set = Object.fromEntries(names.map((name) => [name, order[name]!]));
  let now: Item = { ...existing, ...set };
  if (names.length > 0 && !dryRun) {
    const asRead = names.map((name) => [name, unchanged(existing[name])]);
    const change = { set, where: { id: present, ...Object.fromEntries(asRead) } };
    const result = await writeOnce(order, table, () => updateOrder(order, change, table));
    if (!('order' in result)) {
      const note = `order ${order.id.N} has changed since it was read; import it again`;
      return { outcomes: ['different'], note };
    }
    now = result.order;
  }
  const outcomes: Outcome[] = names.length > 0 ? ['updated'] : [];
  if (differingNames(order, now).length > 0) outcomes.push('different');
  else if (!dryRun) return { outcomes };
  return { outcomes, note: differences(order, dryRun ? existing : now) };
}

/** The fields that a line can change in an existing order. `complete` follows from its state. */
export const updatable: readonly FileField[] = orderFieldNames.filter(
  (field) => field !== 'id' && field !== 'complete',
);

/** Also a value that the API cannot show can be set, because nothing else repairs it. */
function isUpdatable(name: string, { [name]: wanted }: Item, { [name]: stored }: Item): boolean {
  const isWrong = stored !== undefined && !isAccepted(name, stored);
  const isMeant = updatable.includes(name as FileField) || (isWrong && name !== 'status');
  return isMeant && isAccepted(name, wanted);
}

/** The attributes of a line whose values an existing order does not have. */
export function differingNames(order: OrderItem, existing: Item): string[] {
  const names = Object.keys(order).filter((name) => name !== 'id');
  return names.filter((name) => !isSame(order[name], existing[name]));
}

/** Describes how an existing order differs from its line. */
export function differences(order: OrderItem, existing: Item): string {
  const texts = differingNames(order, existing).map((name) => {
    const { [name]: stored } = existing;
    if (name === 'status') {
      return `is ${stateOf(existing)}, the line says ${order.status?.S ?? 'none'}`;
    }
    const has = stored ? `${name} ${shown(stored)}` : `no ${name}`;
    return `has ${has}, the line says ${shown(order[name])}`;
  });
  return `order ${order.id.N} ${texts.join('; ')}`;
}

/**
 * Inserts orders, and returns those that exist, without changing them. An insertion is sent once: if its response
 * is lost, its orders are returned too, because a repeated one could bring back an order that somebody has deleted.
 * A PartiQL INSERT of an existing order fails; BatchWriteItem would replace it.
 */
async function insertOrders(
  orders: readonly OrderItem[],
  table: RetryingTable,
): Promise<OrderItem[]> {
  const duplicates: OrderItem[] = [];
  const { wide = [], usual = [] } = Object.groupBy(orders, (order) => {
    const { Statement } = insertStatement(order, table.tableName);
    return Buffer.byteLength(Statement) > longestStatement ? 'wide' : 'usual';
  });
  for (const order of wide) if (!(await insertAlone(order, table))) duplicates.push(order);
  await repeat(usual, table, async (open) => {
    const Statements = open.map((order) => insertStatement(order, table.tableName));
    const command = new BatchExecuteStatementCommand({ Statements });
    const { Responses: responses = [] } = await table.dynamodb.send(command).catch((error) => {
      if (mayHaveTakenEffect(error)) return { Responses: [] };
      throw error;
    });
    if (responses.length !== open.length) {
      duplicates.push(...open);
      return { left: [] };
    }
    let reason: Error | undefined;
    const left = open.filter((order, index) => {
      const { Code, Message } = responses[index]!.Error ?? {};
      if (!Code) return false;
      reason = Object.assign(new Error(Message), { name: Code });
      if (isThrottled(reason)) return true;
      if (!/DuplicateItem|InternalServerError/.test(Code)) throw refusalOf(order, reason);
      duplicates.push(order);
      return false;
    });
    return { left, reason };
  });
  return duplicates;
}

function refusalOf(order: OrderItem, { name, message }: Error): OperatorError {
  return new OperatorError(`order ${order.id.N}: DynamoDB refused it: ${name} ${message}`);
}

/**
 * Whether it is counted in characters or bytes is not said.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchStatementRequest.html
 */
const longestStatement = 8_192;

function insertStatement(order: OrderItem, tableName: string) {
  const item = newOrder(order);
  const values = Object.keys(item).map((name) => `'${name.replaceAll("'", "''")}': ?`);
  const Statement = `INSERT INTO "${tableName}" VALUE {${values.join(', ')}}`;
  return { Statement, Parameters: Object.values(item) };
}

/** Inserts an order whose names of attributes are too long for a statement. Returns false if it may have existed. */
async function insertAlone(order: OrderItem, table: RetryingTable): Promise<boolean> {
  const command = new PutItemCommand({
    TableName: table.tableName,
    Item: newOrder(order),
    ConditionExpression: 'attribute_not_exists(id)',
    ReturnConsumedCapacity: 'TOTAL',
  });
  let isDone = false;
  await repeat([order], table, async () => {
    try {
      isDone = (await table.dynamodb.send(command)).ConsumedCapacity !== undefined;
    } catch (error) {
      if (Object(error).name === 'ValidationException') throw refusalOf(order, error as Error);
      const isDuplicate = error instanceof ConditionalCheckFailedException;
      if (!isDuplicate && !mayHaveTakenEffect(error)) throw error;
    }
    return { left: [] };
  });
  return isDone;
}

/** Reads the orders that exist. Returns them by their keys. */
export async function getOrders(
  orders: readonly Item[],
  table: RetryingTable,
): Promise<Map<string, Item>> {
  const { dynamodb, tableName } = table;
  const found = new Map<string, Item>();
  await repeat(orders, table, async (open) => {
    const Keys = open.map(({ id }) => ({ id: id! }));
    const RequestItems = { [tableName]: { Keys, ConsistentRead: true } };
    const command = new BatchGetItemCommand({ RequestItems });
    const { Responses, UnprocessedKeys } = await dynamodb.send(command);
    const { Keys: left = [] } = UnprocessedKeys?.[tableName] ?? {};
    const items = Responses?.[tableName];
    const reason = new UnconfirmedError('BatchGetItem');
    if (!items && left.length === 0) throw reason;
    for (const item of items ?? []) found.set(comparableNumber(item.id!.N!)!, item);
    return { left, reason };
  });
  return found;
}
