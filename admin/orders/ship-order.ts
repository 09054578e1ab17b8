import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { WrongStateError } from '../../shared/errors.ts';
import { findOrder, orderKey } from './find-order.ts';
import type { StoredOrder } from './order-record.ts';
import type { OrdersTable } from './orders-table.ts';

/**
 * Marks a pending order as shipped in one conditional write, so that an order which a client cancels
 * at the same time is either cancelled or shipped.
 *
 * @throws OperatorError when there is no such order, or it is not pending
 */
export async function shipOrder(
  orderId: string,
  table: OrdersTable,
  now: () => number,
): Promise<StoredOrder> {
  const requestId = randomUUID();
  try {
    const { Attributes } = await table.dynamodb.send(
      new UpdateCommand({
        TableName: table.tableName,
        Key: orderKey(orderId),
        UpdateExpression: 'SET #status = :shipped, shippedAt = :now, shipRequestId = :requestId',
        ConditionExpression: '#status = :pending',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ':pending': 'pending',
          ':shipped': 'shipped',
          ':now': new Date(now()).toISOString(),
          ':requestId': requestId,
        },
        ReturnValues: 'ALL_NEW',
      }),
    );
    return Attributes!;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return shippedByThisRequest(await findOrder(orderId, table), requestId);
  }
}

// If the response to a successful write was lost, the SDK repeats it and its condition fails.
function shippedByThisRequest(found: StoredOrder, requestId: string): StoredOrder {
  if (found.shipRequestId === requestId) return found;
  const { id, status = 'without a status', shippedAt, cancelledAt } = found;
  const since = shippedAt ?? cancelledAt;
  throw new WrongStateError(
    `Order ${id} is ${status}${since ? ` since ${since}` : ''}: only a pending order can be shipped`,
  );
}
