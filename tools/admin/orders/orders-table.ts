import { randomUUID } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, NumberValue } from '@aws-sdk/lib-dynamodb';
import { cancellationFields, isInt64 } from '../../../lambdas/shared/order-fields.ts';
import type { ChangeableStatus, OrderStatus } from '../../../lambdas/shared/order-states.ts';
import { InvalidValueError, NotFoundError, WrongStateError } from '../../shared/errors.ts';
import { change } from '../stage/dynamodb-calls.ts';

/** The table of orders, and the client for it. */
export interface OrdersTable {
  /** A client that reads every number as a `NumberValue`, which is exact. */
  readonly dynamodb: DynamoDBDocumentClient;
  readonly tableName: string;
}

/** An order of the table, which can have attributes that another program has stored. */
export type StoredOrder = Readonly<Record<string, unknown>>;

/** Creates the document client for orders. @param client is destroyed by its creator */
export function ordersTable(client: DynamoDBClient, tableName: string): OrdersTable {
  // A JavaScript number would round integers above 2^53.
  const unmarshallOptions = { wrapNumbers: true };
  return { dynamodb: DynamoDBDocumentClient.from(client, { unmarshallOptions }), tableName };
}

/** Finds an order. @throws OperatorError when the id is not an int64, or there is no such order */
export async function findOrder(
  orderId: string,
  { dynamodb, tableName }: OrdersTable,
): Promise<StoredOrder> {
  const Key = orderKey(orderId);
  const get = new GetCommand({ TableName: tableName, Key, ConsistentRead: true });
  const { Item } = await dynamodb.send(get);
  if (Item) return Item;
  throw new NotFoundError(`No order has the id ${orderId}`);
}

/**
 * The commands that change the state of an order, of which none begins at a final one. The order keeps
 * when it was done, and by which call, in fields that have the names of both.
 */
export const transitions = {
  ship: { from: 'pending', to: 'shipped', done: 'shipped' },
  cancel: { from: 'pending', to: 'cancelled', done: 'cancelled' },
  reopen: { from: 'cancelled', to: 'pending', done: 'reopened' },
} as const satisfies Record<string, { from: ChangeableStatus; to: OrderStatus; done: string }>;

/** An order as it was read before a change, and as it is after it. */
interface ChangedOrder {
  readonly before: StoredOrder;
  readonly order: StoredOrder;
}

/**
 * Changes the state of an order in one conditional write, so that of this change and a client's
 * cancellation at the same time only one is made.
 *
 * The SDK repeats the write if its response was lost. The order may then be in the state again that the
 * change begins at, but its last cancellation is not the one that was read: every cancellation has a
 * request id of its own, which a reopened order keeps. So the repeated write never takes effect again.
 *
 * @throws OperatorError when there is no such order, or it is not in the state that the change begins at
 */
export async function changeState(
  orderId: string,
  verb: keyof typeof transitions,
  table: OrdersTable,
  nowMs: number,
): Promise<ChangedOrder> {
  const { from, to, done } = transitions[verb];
  const before = await findOrder(orderId, table);
  refuseUnless(from, done, before);
  const requestId = randomUUID();
  const fields = Object.entries<{ isKept: boolean }>(cancellationFields);
  const write = {
    table: table.tableName,
    key: orderKey(orderId),
    set: {
      status: to,
      [`${done}At`]: new Date(nowMs).toISOString(),
      [`${verb}RequestId`]: requestId,
      ...(to === 'cancelled' && { cancelledBy: 'operator' }),
    },
    remove:
      verb === 'reopen' ? fields.filter(([, { isKept }]) => !isKept).map(([name]) => name) : [],
    where: { status: from, ...Object.fromEntries(fields.map(([name]) => [name, before[name]])) },
  };
  const order = await change<StoredOrder>(write, { documents: table.dynamodb });
  if (order) return { before, order };
  const now = await findOrder(orderId, table);
  // The response to the write was lost, and the condition of the repeated write failed.
  if (now[`${verb}RequestId`] === requestId) return { before, order: now };
  refuseUnless(from, done, now);
  throw new WrongStateError(`Order ${orderId} has changed since it was read`, {
    remedy: 'run the command again',
  });
}

/** Refuses an order that is not in the state that a change begins at. */
function refuseUnless(from: ChangeableStatus, done: string, order: StoredOrder): void {
  const { id, status = 'without a status', shippedAt, cancelledAt } = order;
  if (status === from) return;
  const since = { shipped: shippedAt, cancelled: cancelledAt }[String(status)];
  const state = `Order ${id} is ${status}${since ? ` since ${since}` : ''}`;
  throw new WrongStateError(`${state}: only a ${from} order can be ${done}`);
}

/** The key of an order in the table. @throws OperatorError when the id is not an int64 */
function orderKey(orderId: string): { id: NumberValue } {
  if (isInt64(orderId)) return { id: NumberValue.from(orderId) };
  throw new InvalidValueError(
    'order id',
    orderId,
    'an integer from -9223372036854775808 to 9223372036854775807, without leading zeros',
  );
}
