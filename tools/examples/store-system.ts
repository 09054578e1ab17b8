/*
 * The writes of the store's own system to the table of orders. docs/store-system.md gives the reason for each
 * condition. The variable ORDERS_TABLE has the table's name.
 *
 * A write can succeed although its response is lost. So each order stores your ids of its checkout and of its
 * shipment, which stay the same when you repeat a write. If a condition fails, these ids show whether the earlier
 * write was your own.
 */

import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';

const TableName = process.env.ORDERS_TABLE;
const documents = DynamoDBDocumentClient.from(new DynamoDBClient());

type NewOrder = { id: bigint; checkoutId: string; [attribute: string]: unknown };

/**
 * Returns whether this checkout has created the order, now or earlier. If not, another checkout has used the order's
 * id.
 */
export async function createOrder(order: NewOrder): Promise<boolean> {
  const command = new PutCommand({
    TableName,
    Item: { ...order, status: 'pending', complete: false },
    ConditionExpression: 'attribute_not_exists(id)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    await documents.send(command);
    return true;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return error.Item?.checkoutId?.S === order.checkoutId;
  }
}

/**
 * Returns `shipped` if this shipment has shipped the order, now or earlier: only then hand over the parcel. Otherwise,
 * returns `another shipment`, the state of the order, such as `cancelled`, or undefined if there is no order.
 */
export async function shipOrder(id: bigint, shippedBy: string, shipmentId: string) {
  const command = new UpdateCommand({
    TableName,
    Key: { id },
    UpdateExpression:
      'SET #status = :shipped, complete = :true, shipDate = :now, shippedAt = :now, shippedBy = :by, ' +
      'shipmentId = :shipment',
    ConditionExpression: '#status = :pending',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':pending': 'pending',
      ':shipped': 'shipped',
      ':true': true,
      ':now': `${new Date().toISOString().slice(0, 19)}Z`,
      ':by': shippedBy,
      ':shipment': shipmentId,
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    await documents.send(command);
    return 'shipped';
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const { status, shipmentId: stored } = error.Item ?? {};
    return status?.S === 'shipped' && stored?.S !== shipmentId ? 'another shipment' : status?.S;
  }
}

/** Sets an attribute that the API does not know, on an order that exists. */
export async function noteWarehouse(id: bigint, warehouse: string): Promise<void> {
  const command = new UpdateCommand({
    TableName,
    Key: { id },
    UpdateExpression: 'SET warehouse = :warehouse',
    ConditionExpression: 'attribute_exists(id)',
    ExpressionAttributeValues: { ':warehouse': warehouse },
  });
  await documents.send(command);
}
