/*
 * The writes of the store's own system to the table of orders. docs/store-system.md gives the reason for each
 * condition. The variable ORDERS_TABLE has the table's name.
 */

import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';

const TableName = process.env.ORDERS_TABLE;
const documents = DynamoDBDocumentClient.from(new DynamoDBClient());

/** Returns false if the order exists. */
export async function createOrder(order: { id: bigint; [attribute: string]: unknown }) {
  const Item = { ...order, status: 'pending', complete: false };
  const ConditionExpression = 'attribute_not_exists(id)';
  try {
    await documents.send(new PutCommand({ TableName, Item, ConditionExpression }));
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

/** Returns the state of the order from the response. Hand over the parcel only if the state is `shipped`. */
export async function shipOrder(id: bigint, shippedBy: string): Promise<string | undefined> {
  const command = new UpdateCommand({
    TableName,
    Key: { id },
    UpdateExpression:
      'SET #status = :shipped, complete = :true, shipDate = :now, shippedAt = :now, shippedBy = :by',
    ConditionExpression: '#status = :pending',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':pending': 'pending',
      ':shipped': 'shipped',
      ':true': true,
      ':now': `${new Date().toISOString().slice(0, 19)}Z`,
      ':by': shippedBy,
    },
    ReturnValues: 'UPDATED_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    const { Attributes } = await documents.send(command);
    return Attributes?.status;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return error.Item?.status?.S;
    throw error;
  }
}

/** Sets an attribute of your own. */
export async function noteWarehouse(id: bigint, warehouse: string) {
  const command = new UpdateCommand({
    TableName,
    Key: { id },
    UpdateExpression: 'SET warehouse = :warehouse',
    ConditionExpression: 'attribute_exists(id)',
    ExpressionAttributeValues: { ':warehouse': warehouse },
  });
  await documents.send(command);
}
