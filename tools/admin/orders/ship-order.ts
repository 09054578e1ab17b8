import { randomUUID } from 'node:crypto';
import { WrongStateError } from '../../shared/errors.ts';
import { change } from '../stage/dynamodb-calls.ts';
import { findOrder, type OrdersTable, orderKey, type StoredOrder } from './orders-table.ts';

/**
 * Marks a pending order as shipped in one conditional write, so that an order which a client cancels
 * at the same time is either cancelled or shipped.
 *
 * @throws OperatorError when there is no such order, or it is not pending
 */
export async function shipOrder(
  orderId: string,
  table: OrdersTable,
  nowMs: number,
): Promise<StoredOrder> {
  const shipRequestId = randomUUID();
  const shippedAt = new Date(nowMs).toISOString();
  const shipped = await change<StoredOrder>(
    {
      table: table.tableName,
      key: orderKey(orderId),
      set: { status: 'shipped', shippedAt, shipRequestId },
      where: { status: 'pending' },
    },
    { documents: table.dynamodb },
  );
  return shipped ?? shippedByThisRequest(await findOrder(orderId, table), shipRequestId);
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
