import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { WrongStateError } from '../../shared/errors.ts';
import { noSuchOrder, orderKey, type StoredOrder } from './find-order.ts';
import type { OrdersTable } from './insert-orders.ts';

/**
 * Marks a pending order as shipped, in one conditional write: an order that a client cancels at the
 * same time is either cancelled or shipped, never both.
 *
 * @throws OperatorError when there is no such order, or it is not pending
 */
export async function shipOrder(
  orderId: string,
  { dynamodb, tableName }: Pick<OrdersTable, 'dynamodb' | 'tableName'>,
  now: () => number,
): Promise<StoredOrder> {
  const requestId = randomUUID();
  try {
    const { Attributes } = await dynamodb.send(
      new UpdateItemCommand({
        TableName: tableName,
        Key: orderKey(orderId),
        UpdateExpression: 'SET #status = :shipped, shippedAt = :now, shipRequestId = :requestId',
        ConditionExpression: '#status = :pending',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ':pending': { S: 'pending' },
          ':shipped': { S: 'shipped' },
          ':now': { S: new Date(now()).toISOString() },
          ':requestId': { S: requestId },
        },
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return Attributes!;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return shippedByThisRequest(orderId, error.Item, requestId);
  }
}

// The SDK repeats a write whose answer was lost, and then finds its own work done.
function shippedByThisRequest(
  orderId: string,
  found: StoredOrder | undefined,
  requestId: string,
): StoredOrder {
  if (!found) throw noSuchOrder(orderId);
  if (found.shipRequestId?.S === requestId) return found;
  const status = found.status?.S ?? 'without a status';
  const since = found.shippedAt?.S ?? found.cancelledAt?.S;
  throw new WrongStateError(
    `Order ${orderId} is ${status}${since ? ` since ${since}` : ''}: only a pending order can be shipped`,
  );
}
