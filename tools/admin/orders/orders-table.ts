import { randomUUID } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, NumberValue } from '@aws-sdk/lib-dynamodb';
import { isInt64 } from '../../../lambdas/shared/order-fields.ts';
import type { OrderStatus } from '../../../lambdas/shared/order-states.ts';
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

interface Transition {
  readonly from: OrderStatus;
  readonly to: OrderStatus;
  readonly description: string;
  /** The verb in a message. */
  readonly done: string;
  readonly timeField: FileField;
  readonly requestIdField: FileField;
  readonly set?: Partial<Record<FileField, string>>;
  readonly remove?: readonly FileField[];
}

/** The commands that change the state of an order. None begins at `shipped`, which is final. */
export const transitions = {
  ship: {
    from: 'pending',
    to: 'shipped',
    description: 'mark a pending order as shipped; from then on it cannot be cancelled',
    done: 'shipped',
    timeField: 'shippedAt',
    requestIdField: 'shipRequestId',
  },
  cancel: {
    from: 'pending',
    to: 'cancelled',
    description: 'cancel a pending order',
    done: 'cancelled',
    timeField: 'cancelledAt',
    requestIdField: 'cancelRequestId',
    set: { cancelledBy: 'operator' },
  },
  reopen: {
    from: 'cancelled',
    to: 'pending',
    description: 'make a cancelled order pending again',
    done: 'reopened',
    timeField: 'reopenedAt',
    requestIdField: 'reopenRequestId',
    remove: ['cancelledAt', 'cancelledBy', 'cancelRequestId'],
  },
} as const satisfies Readonly<Record<string, Transition>>;

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
  transition: Transition,
  table: OrdersTable,
  nowMs: number,
): Promise<ChangedOrder> {
  const { from, to, timeField, requestIdField, remove = [] } = transition;
  const requestId = randomUUID();
  const time = new Date(nowMs).toISOString();
  const set = { ...transition.set, status: to, [timeField]: time, [requestIdField]: requestId };
  const write = { table: table.tableName, key: orderKey(orderId), set, remove };
  const documents = { documents: table.dynamodb };
  const before = await change<StoredOrder>(
    { ...write, where: { status: from } },
    documents,
    'ALL_OLD',
  );
  if (before) {
    const kept = Object.entries(before).filter(([name]) => !(remove as string[]).includes(name));
    return { before, order: { ...Object.fromEntries(kept), ...set } };
  }
  const order = await findOrder(orderId, table);
  // If the response to a successful write was lost, the SDK repeats it and its condition fails.
  if (order[requestIdField] === requestId) return { order };
  throw wrongState(order, transition);
}

function wrongState(order: StoredOrder, { from, done }: Transition): WrongStateError {
  const { id, status = 'without a status', shippedAt, cancelledAt } = order;
  const since = shippedAt ?? cancelledAt;
  return new WrongStateError(
    `Order ${id} is ${status}${since ? ` since ${since}` : ''}: only a ${from} order can be ${done}`,
  );
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
