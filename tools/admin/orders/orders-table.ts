import { randomUUID } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, NumberValue } from '@aws-sdk/lib-dynamodb';
import { isInt64 } from '../../../lambdas/shared/order-fields.ts';
import type { ChangeableStatus, OrderStatus } from '../../../lambdas/shared/order-states.ts';
import { InvalidValueError, NotFoundError, WrongStateError } from '../../shared/errors.ts';
import { change } from '../stage/dynamodb-calls.ts';
import type { FileField } from './order-record.ts';

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

const cancellation: readonly FileField[] = ['cancelledAt', 'cancelledBy', 'cancelRequestId'];

/** An order as it is after a change, and as it was before if the answer of DynamoDB has shown it. */
interface ChangedOrder {
  readonly order: StoredOrder;
  readonly before?: StoredOrder;
}

/**
 * Changes the state of an order in one conditional write, so that of this change and a client's
 * cancellation at the same time only one is made.
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
  const requestId = randomUUID();
  const set = {
    status: to,
    [`${done}At`]: new Date(nowMs).toISOString(),
    [`${verb}RequestId`]: requestId,
    ...(to === 'cancelled' && { cancelledBy: 'operator' }),
  };
  const remove = from === 'cancelled' ? cancellation : [];
  const write = { table: table.tableName, key: orderKey(orderId), set, remove };
  const before = await change<StoredOrder>(
    { ...write, where: { status: from } },
    { documents: table.dynamodb },
    'ALL_OLD',
  );
  if (before) {
    const kept = Object.entries(before).filter(([name]) => !remove.includes(name as FileField));
    return { before, order: { ...Object.fromEntries(kept), ...set } };
  }
  const order = await findOrder(orderId, table);
  // If the response to a successful write was lost, the SDK repeats it and its condition fails.
  if (order[`${verb}RequestId`] === requestId) return { order };
  const { status = 'without a status', shippedAt, cancelledAt } = order;
  const since = shippedAt ?? cancelledAt;
  const state = `Order ${orderId} is ${status}${since ? ` since ${since}` : ''}`;
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
